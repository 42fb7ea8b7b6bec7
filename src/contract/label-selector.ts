/** One condition on a label. */
type LabelCondition =
  | { readonly kind: 'exists' | 'absent'; readonly key: string }
  | { readonly kind: 'in' | 'not_in'; readonly key: string; readonly values: readonly string[] };

const KEY = '[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,315}[A-Za-z0-9])?';
const VALUE = '(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?';
const EQUALS = new RegExp(`^(${KEY})\\s*(=|==|!=)\\s*(${VALUE})$`);
const AMONG = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const THERE = new RegExp(`^(!?)\\s*(${KEY})$`);

/** A selector as kubectl takes it: `app=web,tier in (a,b),!canary`. Null if it is none: then it selects nothing. */
export function parseSelector(text: string): readonly LabelCondition[] | null {
  const conditions: LabelCondition[] = [];
  // A comma inside brackets parts values, not conditions.
  for (const part of text.split(/,(?![^(]*\))/)) {
    const condition = parseCondition(part.trim());
    if (condition === null) return null;
    conditions.push(condition);
  }
  return conditions;
}

function parseCondition(text: string): LabelCondition | null {
  const [, key, operator, value] = EQUALS.exec(text) ?? [];
  if (key !== undefined) return { kind: operator === '!=' ? 'not_in' : 'in', key, values: [value ?? ''] };
  const [, among, word, list] = AMONG.exec(text) ?? [];
  if (among !== undefined) {
    const values = (list ?? '').split(',').map((one) => one.trim());
    if (!values.every((one) => new RegExp(`^${VALUE}$`).test(one))) return null;
    return { kind: word === 'in' ? 'in' : 'not_in', key: among, values };
  }
  const [, not, there] = THERE.exec(text) ?? [];
  return there === undefined ? null : { kind: not === '!' ? 'absent' : 'exists', key: there };
}

/** As the API server decides: what lacks the label is not among the values. */
export function matchesSelector(labels: Readonly<Record<string, string>>, selector: string | null): boolean {
  if (selector === null) return true;
  const conditions = parseSelector(selector);
  return conditions?.every((condition) => holds(labels, condition)) ?? false;
}

function holds(labels: Readonly<Record<string, string>>, condition: LabelCondition): boolean {
  const value = Object.hasOwn(labels, condition.key) ? labels[condition.key] : undefined;
  switch (condition.kind) {
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'in':
      return value !== undefined && condition.values.includes(value);
    case 'not_in':
      return value === undefined || !condition.values.includes(value);
  }
}

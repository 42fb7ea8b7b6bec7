import { CORE_SCHEMA, load } from 'js-yaml';
import { isFields, type ObjectFields, own } from '../../kubernetes/verdict/fields.ts';
import { objectIdentity } from '../../kubernetes/verdict/identity.ts';

/** A part of the input that cannot be judged, and where it stands. The rest is judged all the same. */
export interface BadDocument {
  readonly where: string;
  readonly why: string;
}

export interface Documents {
  readonly objects: readonly ObjectFields[];
  readonly bad: readonly BadDocument[];
}

/** Lists may stand in lists, and no real one is deeper: a nest of them is a bomb. */
const DEEPEST_LIST = 4;

/**
 * Reads the objects in a text: YAML or JSON, one or many, single or in lists. Total: a part that cannot be read becomes
 * a `BadDocument`.
 */
export function documentsIn(text: string, source: string): Documents {
  const objects: ObjectFields[] = [];
  const bad: BadDocument[] = [];
  const parts = splitStream(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  for (const [at, part] of parts.entries()) {
    const where = parts.length === 1 ? source : `${source}, document ${at + 1}`;
    const parsed = parse(part);
    if ('why' in parsed) bad.push({ where, why: parsed.why });
    else if (parsed.value !== null && parsed.value !== undefined)
      collect(parsed.value, null, where, 0, objects, bad);
  }
  return { objects, bad };
}

/** A line `---` separates documents of YAML, wherever it stands at the beginning of a line. */
function splitStream(text: string): string[] {
  if (/^\s*[[{]/.test(text)) {
    const whole = tryJson(text);
    if (whole !== null) return [text];
  }
  return text.split(/^---(?=\s|$)/m).filter((part) => part.trim() !== '');
}

function tryJson(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

function parse(text: string): { readonly value: unknown } | { readonly why: string } {
  const json = /^\s*[[{]/.test(text) ? tryJson(text) : null;
  if (json !== null) return json;
  try {
    return { value: load(text, { schema: CORE_SCHEMA, json: true }) };
  } catch (error) {
    return { why: `is neither YAML nor JSON: ${firstLine(error)}` };
  }
}

const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 200) ?? '';

/** Adds an object, or the items of a list. Items of a typed list (`PodList`) do not name their kind: the list does. */
function collect(
  value: unknown,
  kindOfItem: ObjectFields | null,
  where: string,
  depth: number,
  objects: ObjectFields[],
  bad: BadDocument[],
): void {
  if (depth > DEEPEST_LIST) {
    bad.push({ where, why: 'has lists inside lists, too deep' });
    return;
  }
  const items = itemsOf(value);
  if (items !== null) {
    for (const [at, item] of items.list.entries())
      collect(item, items.kindOfItem, `${where}, item ${at + 1}`, depth + 1, objects, bad);
    return;
  }
  const object = kindOfItem !== null && isFields(value) ? { ...kindOfItem, ...value } : value;
  if (isFields(object) && objectIdentity(object) !== null) objects.push(object);
  else bad.push({ where, why: 'is no object of Kubernetes: it has no kind or no apiVersion' });
}

function itemsOf(
  value: unknown,
): { readonly list: readonly unknown[]; readonly kindOfItem: ObjectFields | null } | null {
  if (Array.isArray(value)) return { list: value, kindOfItem: null };
  if (!isFields(value)) return null;
  const kind = own(value, 'kind');
  const list = own(value, 'items');
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(list)) return null;
  const apiVersion = own(value, 'apiVersion');
  return { list, kindOfItem: kind === 'List' ? null : { kind: kind.slice(0, -'List'.length), apiVersion } };
}

import { CORE_SCHEMA, load } from 'js-yaml';
import { isFields, type ObjectFields, own } from '../../kubernetes/verdict/fields.ts';
import { objectIdentity } from '../../kubernetes/verdict/identity.ts';
import { splitJson } from './split-json.ts';

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
 * a `BadDocument`. A text without any value is bad too: it is more often a pipe that failed than an empty cluster.
 */
export function documentsIn(text: string, source: string): Documents {
  const objects: ObjectFields[] = [];
  const bad: BadDocument[] = [];
  const values = valuesIn(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  for (const [at, value] of values.entries()) {
    const where = values.length === 1 ? source : `${source}, document ${at + 1}`;
    if ('why' in value) bad.push({ where, why: value.why });
    else if (value.parsed !== null) collect(value.parsed, null, where, 0, objects, bad);
  }
  if (values.every((value) => 'parsed' in value && value.parsed === null))
    bad.push({ where: source, why: 'is empty: there is no object in it' });
  return { objects, bad };
}

type DocumentValue = { readonly parsed: unknown } | { readonly why: string };

/** A line that begins so separates documents of YAML, wherever it stands. */
const SEPARATOR = /^---(?=\s|$)/m;
const LOOKS_LIKE_JSON = /^\s*[[{]/;

/** JSON first, because it is read in a fraction of the time; whatever is no JSON may be YAML. */
function valuesIn(text: string): DocumentValue[] {
  if (LOOKS_LIKE_JSON.test(text)) {
    const whole = json(text);
    if (whole !== null) return [whole];
    const stream = SEPARATOR.test(text) ? [] : splitJson(text);
    if (stream.length > 1) return stream.map((part) => json(part) ?? yaml(part));
  }
  const parts = text.split(SEPARATOR).filter((part) => part.trim() !== '');
  return parts.map((part) => (LOOKS_LIKE_JSON.test(part) ? json(part) : null) ?? yaml(part));
}

function json(text: string): DocumentValue | null {
  try {
    return { parsed: JSON.parse(text) };
  } catch {
    return null;
  }
}

/**
 * YAML as Kubernetes reads it: without types of its own, and of a key that stands twice the last one counts. js-yaml
 * reads ten thousand pods in a second; rejected: yaml, which takes twenty.
 */
function yaml(text: string): DocumentValue {
  try {
    return { parsed: load(text, { schema: CORE_SCHEMA, json: true }) ?? null };
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
  if (typeof kind !== 'string' || !kind.endsWith('List')) return null;
  // Go writes a list of nothing as null.
  if (list === null) return { list: [], kindOfItem: null };
  if (!Array.isArray(list)) return null;
  const apiVersion = own(value, 'apiVersion');
  return { list, kindOfItem: kind === 'List' ? null : { kind: kind.slice(0, -'List'.length), apiVersion } };
}

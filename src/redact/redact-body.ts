import { DIGEST } from '../contract/names.ts';
import { CAUSE_CODES, KINDS } from '../contract/vocabulary.ts';
import { inSlices } from '../event-loop/slices.ts';
import { isSecretName } from './credentials.ts';
import { marker, redact, redactName } from './redact.ts';
import { NO_VALUES, type SecretValues } from './secret-values.ts';

/**
 * Decides by its name how a field is redacted. `text` was written by a runtime, a tool or a person, and is
 * also searched for the secrets of the service. A `name` is searched for text that looks like a secret, and
 * for secrets of the service only where it has room for one, as an address with a path or a query has: names
 * come by the thousand, every few seconds. An `image` loses a login and nothing else, since its digest is
 * compared. An `exact` field stays byte for byte: two that were redacted might become equal, and an instance
 * that is gone would seem to run (S1).
 */
type FieldRedaction = 'text' | 'name' | 'image' | 'exact';
type FieldRedactionOf = (name: string) => FieldRedaction;

const TEXTS = new Set(['message', 'reason']);
const NAMES_IN_REPORTS = new Set([
  ...['name', 'node', 'urls', 'startedAt', 'about', 'container'],
  ...['managedBy', 'fieldManager', 'release', 'commit'],
]);
const IMAGES = new Set(['artifact', 'image']);
/**
 * All other fields of a report are numbers or words of the protocol, or are compared: `uid`, `service`,
 * `template`.
 */
const inReports: FieldRedactionOf = (name) =>
  TEXTS.has(name) ? 'text' : NAMES_IN_REPORTS.has(name) ? 'name' : IMAGES.has(name) ? 'image' : 'exact';

/** A start command is run unchanged; the others are compared. */
const EXACT_IN_EVIDENCE = new Set(['id', 'service', 'command']);
/** Fields that hold names, numbers and digests of the protocol, if they are valid. */
const NAMES_IN_EVIDENCE = new Set(
  'kind revision attempt fence seq observedAt body digest size plan port code exitCode retrySafe objects name step total'.split(
    ' ',
  ),
);
/** Words of the protocol in their places: a service whose secret is `runtime` must not lose its runtime. */
const WORDS: Readonly<Record<string, (value: string) => boolean>> = {
  kind: (value) => (KINDS as readonly string[]).includes(value),
  code: (value) => (CAUSE_CODES as readonly string[]).includes(value),
  digest: (value) => DIGEST.test(value),
  observedAt: (value) => value.length <= 35 && !Number.isNaN(Date.parse(value)),
};

/** Every other field of evidence is text: rejected evidence is kept as received, and may contain anything. */
const inEvidence: FieldRedactionOf = (name) => {
  if (NAMES_IN_EVIDENCE.has(name)) return 'name';
  return EXACT_IN_EVIDENCE.has(name) ? 'exact' : name === 'artifact' ? 'image' : 'text';
};

const DEEP = 12;

/** The secrets of a service's own specs. */
type SecretsOf = (service: string) => Promise<SecretValues>;

/** Redacts free text in evidence before it reaches the ledger (S15). */
export async function redactItem(item: unknown, secretsOf: SecretsOf): Promise<unknown> {
  const reading = typeof item === 'string' ? 'text' : 'exact';
  // Most evidence has no free text: then the store is not read for secrets.
  const values = speaks(item, inEvidence, reading, 0) ? await valuesOf(item, secretsOf) : NO_VALUES;
  return redacted(item, inEvidence, values, reading, 0);
}

/**
 * Redacts a report: instances and their containers carry messages of the runtime. Works in slices, because a
 * report may be large.
 */
export async function redactReport(report: unknown, secretsOf: SecretsOf): Promise<unknown> {
  if (typeof report !== 'object' || report === null) return report;
  const copy: Record<string, unknown> = { ...report };
  for (const part of ['instances', 'services'] as const) {
    const list = copy[part];
    if (!Array.isArray(list)) continue;
    const items = [...list];
    const speaking: number[] = [];
    let at = 0;
    await inSlices(() => {
      // Most instances have no free text: then only their names are searched.
      if (at >= items.length) return false;
      if (speaks(items[at], inReports, 'exact', 0)) speaking.push(at);
      else items[at] = redacted(items[at], inReports, NO_VALUES, 'exact', 0);
      return ++at < items.length;
    });
    const valuesByService = new Map<unknown, SecretValues>();
    for (const i of speaking) {
      const { service } = items[i] as { service?: unknown };
      if (!valuesByService.has(service)) valuesByService.set(service, await valuesOf(items[i], secretsOf));
    }
    await inSlices(() => {
      const i = speaking.pop();
      if (i === undefined) return false;
      items[i] = redacted(
        items[i],
        inReports,
        valuesByService.get(items[i].service) ?? NO_VALUES,
        'exact',
        0,
      );
      return true;
    });
    copy[part] = items;
  }
  if ('changed' in copy) copy.changed = await redactReport(copy.changed, secretsOf);
  return copy;
}

const COMPARED = new Set(['uid', 'name', 'template', 'artifact']);

/**
 * Redacts observations for an answer. Fields that distinguish instances are stored as received; in an answer
 * they lose what looks like a secret or is one of the service's own (S15).
 */
export function redactObserved<T>(observed: T, values: SecretValues): T {
  return redacted(observed, (name) => (COMPARED.has(name) ? 'name' : 'exact'), values, 'exact', 0) as T;
}

/** A query, a login, or a path that is long enough. */
const HAS_ROOM = /[?=@]|[^/]\/[^/]{4}/;

/** The value contains free text, at any depth. */
function speaks(
  value: unknown,
  readingOf: FieldRedactionOf,
  reading: FieldRedaction,
  depth: number,
): boolean {
  if (typeof value === 'string') return reading === 'text' || (reading === 'name' && HAS_ROOM.test(value));
  if (typeof value !== 'object' || value === null) return reading === 'text' && typeof value === 'number';
  if (depth > DEEP) return reading === 'text';
  if (Array.isArray(value)) return value.some((item) => speaks(item, readingOf, reading, depth + 1));
  for (const name in value)
    if (speaks((value as Record<string, unknown>)[name], readingOf, readingOf(name), depth + 1)) return true;
  return false;
}

async function valuesOf(item: unknown, secretsOf: SecretsOf): Promise<SecretValues> {
  const { service } = (item ?? {}) as { service?: unknown };
  return typeof service === 'string' ? secretsOf(service) : NO_VALUES;
}

/** Up to the last `@` that no digest follows. */
const LOGIN = /^((?:[\w+.-]{1,30}:\/\/)?).*@(?!sha\d{1,3}:)/s;
const READ: Readonly<Record<FieldRedaction, (value: string, values: SecretValues) => string>> = {
  text: redact,
  name: redactName,
  image: (value) => (value.includes('@') ? value.replace(LOGIN, `$1${marker('login')}@`) : value),
  exact: (value) => value,
};

/** Answers the value itself where nothing is redacted, without copying it. */
function redacted(
  value: unknown,
  readingOf: FieldRedactionOf,
  values: SecretValues,
  reading: FieldRedaction,
  depth: number,
): unknown {
  if (typeof value === 'string') return READ[reading](value, values);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEP) return reading === 'exact' ? value : marker('value');
  if (Array.isArray(value)) {
    const items = value.map((item) => redacted(item, readingOf, values, reading, depth + 1));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  let copy: Record<string, unknown> | null = null;
  for (const name in value) {
    const inner = (value as Record<string, unknown>)[name];
    const of = readingOf(name);
    const isSecret = of === 'text' && isSecretName(name) && inner !== null && typeof inner !== 'boolean';
    const isWord = of === 'name' && typeof inner === 'string' && WORDS[name]?.(inner);
    const clean = isSecret
      ? marker('value')
      : isWord
        ? inner
        : redacted(inner, readingOf, values, of, depth + 1);
    if (clean !== inner) {
      copy ??= { ...value };
      copy[name] = clean;
    }
  }
  return copy ?? value;
}

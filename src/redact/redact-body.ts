import { DIGEST } from '../contract/names.ts';
import { CAUSE_CODES, KINDS } from '../contract/vocabulary.ts';
import { inSlices } from '../event-loop/slices.ts';
import { isSecretName } from './credentials.ts';
import { type KnownValues, NO_VALUES } from './known-values.ts';
import { marker, redact, redactName } from './redact.ts';

/**
 * How a field is read, by its name. `text` is what a runtime, a tool or a person wrote, and is searched for the secrets
 * of the service too. A `name` is searched for what looks like a secret, and asks the store for more only where it has
 * room for one, as an address with a path or a query has: names come by the thousand, every few seconds. An `image` loses
 * a login and nothing else, since its digest is compared. What is `exact` stays byte for byte: two that were
 * redacted might become one, and then an instance that is gone would seem to be there (S1).
 */
type Reading = 'text' | 'name' | 'image' | 'exact';
type ReadingOf = (name: string) => Reading;

const TEXTS = new Set(['message', 'reason']);
const NAMES_IN_REPORTS = new Set(['name', 'node', 'urls', 'startedAt']);
/** All else of a report is a number, a word of the protocol, or compared: `uid`, `service`, `template`. */
const inReports: ReadingOf = (name) =>
  TEXTS.has(name) ? 'text' : NAMES_IN_REPORTS.has(name) ? 'name' : name === 'artifact' ? 'image' : 'exact';

/** A start command is run as it is; the others are compared. */
const EXACT_IN_EVIDENCE = new Set(['id', 'service', 'command']);
/** Fields that are names, numbers and digests of the protocol, if they are what they should be. */
const NAMES_IN_EVIDENCE = new Set(
  'kind revision attempt fence seq observedAt body digest size plan port code exitCode retrySafe objects name step total'.split(
    ' ',
  ),
);
/** A word of the protocol, where it stands: a service whose secret is `runtime` must not lose what it is told by. */
const WORDS: Readonly<Record<string, (value: string) => boolean>> = {
  kind: (value) => (KINDS as readonly string[]).includes(value),
  code: (value) => (CAUSE_CODES as readonly string[]).includes(value),
  digest: (value) => DIGEST.test(value),
  observedAt: (value) => value.length <= 35 && !Number.isNaN(Date.parse(value)),
};

/** Whatever else is in evidence is text: what is refused is kept as it came, and nobody knows what that is. */
const inEvidence: ReadingOf = (name) => {
  if (NAMES_IN_EVIDENCE.has(name)) return 'name';
  return EXACT_IN_EVIDENCE.has(name) ? 'exact' : name === 'artifact' ? 'image' : 'text';
};

const DEEP = 12;

/** The secrets of a service's own specs. */
export type SecretsOf = (service: string) => Promise<KnownValues>;

/** Evidence on its way to the ledger: what is free text in it passes redaction first (S15). */
export async function redactItem(item: unknown, secretsOf: SecretsOf): Promise<unknown> {
  const reading = typeof item === 'string' ? 'text' : 'exact';
  // Most of what is proven says nothing in its own words: then nobody asks the store for secrets.
  const values = speaks(item, inEvidence, reading, 0) ? await valuesOf(item, secretsOf) : NO_VALUES;
  return redacted(item, inEvidence, values, reading, 0);
}

/** A report on its way in: instances and their containers carry messages of the runtime. In slices: it may be large. */
export async function redactReport(report: unknown, secretsOf: SecretsOf): Promise<unknown> {
  if (typeof report !== 'object' || report === null) return report;
  const copy: Record<string, unknown> = { ...report };
  for (const part of ['instances', 'services'] as const) {
    const given = copy[part];
    if (!Array.isArray(given)) continue;
    const items = [...given];
    const speaking: number[] = [];
    let at = 0;
    await inSlices(() => {
      // Most of what is seen says nothing in its own words: then only its names are looked at.
      if (at >= items.length) return false;
      if (speaks(items[at], inReports, 'exact', 0)) speaking.push(at);
      else items[at] = redacted(items[at], inReports, NO_VALUES, 'exact', 0);
      return ++at < items.length;
    });
    const known = new Map<unknown, KnownValues>();
    for (const i of speaking) {
      const { service } = items[i] as { service?: unknown };
      if (!known.has(service)) known.set(service, await valuesOf(items[i], secretsOf));
    }
    await inSlices(() => {
      const i = speaking.pop();
      if (i === undefined) return false;
      items[i] = redacted(items[i], inReports, known.get(items[i].service) ?? NO_VALUES, 'exact', 0);
      return true;
    });
    copy[part] = items;
  }
  if ('changed' in copy) copy.changed = await redactReport(copy.changed, secretsOf);
  return copy;
}

const COMPARED = new Set(['uid', 'name', 'template', 'artifact']);

/**
 * What was observed, on its way out. By which one instance is told from another is kept as it came; where it is shown it
 * loses what looks like a secret, or is one of its service's own (S15).
 */
export function redactSeen<T>(seen: T, values: KnownValues): T {
  return redacted(seen, (name) => (COMPARED.has(name) ? 'name' : 'exact'), values, 'exact', 0) as T;
}

/** A query, a login, or a path that is long enough. */
const HAS_ROOM = /[?=@]|[^/]\/[^/]{4}/;

/** There is free text in it, at any depth. */
function speaks(value: unknown, readingOf: ReadingOf, reading: Reading, depth: number): boolean {
  if (typeof value === 'string') return reading === 'text' || (reading === 'name' && HAS_ROOM.test(value));
  if (typeof value !== 'object' || value === null) return reading === 'text' && typeof value === 'number';
  if (depth > DEEP) return reading === 'text';
  if (Array.isArray(value)) return value.some((item) => speaks(item, readingOf, reading, depth + 1));
  for (const name in value)
    if (speaks((value as Record<string, unknown>)[name], readingOf, readingOf(name), depth + 1)) return true;
  return false;
}

async function valuesOf(item: unknown, secretsOf: SecretsOf): Promise<KnownValues> {
  const { service } = (item ?? {}) as { service?: unknown };
  return typeof service === 'string' ? secretsOf(service) : NO_VALUES;
}

/** Up to the last `@` that no digest follows. */
const LOGIN = /^((?:[\w+.-]{1,30}:\/\/)?).*@(?!sha\d{1,3}:)/s;
const READ: Readonly<Record<Reading, (value: string, values: KnownValues) => string>> = {
  text: redact,
  name: redactName,
  image: (value) => (value.includes('@') ? value.replace(LOGIN, `$1${marker('login')}@`) : value),
  exact: (value) => value,
};

/** The value itself where there is nothing to hide: what is calm is not copied. */
function redacted(
  value: unknown,
  readingOf: ReadingOf,
  values: KnownValues,
  reading: Reading,
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

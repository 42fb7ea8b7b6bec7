import { inSlices } from '../slices.ts';
import { isSecretName } from './credentials.ts';
import { type KnownValues, NO_VALUES } from './known-values.ts';
import { marker, redact } from './redact.ts';

/** What of a report is text that a runtime or a tool wrote; all else is read as a name, a number or a digest. */
const inReports = (name: string) => name === 'message' || name === 'reason';

/** Fields of evidence that are names, numbers and digests of the protocol. */
const FIELDS = new Set(
  'id kind service revision attempt command fence seq observedAt body digest size plan port code exitCode retrySafe objects name artifact step total'.split(
    ' ',
  ),
);
/** Whatever else is in evidence is text: what is refused is kept as it came, and nobody knows what that is. */
const inEvidence = (name: string) => !FIELDS.has(name);

type IsText = (name: string) => boolean;
const DEEP = 12;

/** The secrets of a service's own specs. */
export type SecretsOf = (service: string) => Promise<KnownValues>;

/** Evidence on its way to the ledger: what is free text in it passes redaction first (S15). */
export async function redactItem(item: unknown, secretsOf: SecretsOf): Promise<unknown> {
  // Most of what is proven says nothing in its own words: then nobody asks the store for secrets.
  if (!speaks(item, inEvidence, typeof item === 'string', 0)) return item;
  return redacted(item, inEvidence, await valuesOf(item, secretsOf), typeof item === 'string', 0);
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
      // Most of what is seen says nothing in its own words, and costs nothing more.
      if (at < items.length && speaks(items[at], inReports, false, 0)) speaking.push(at);
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
      items[i] = redacted(items[i], inReports, known.get(items[i].service) ?? NO_VALUES, false, 0);
      return true;
    });
    copy[part] = items;
  }
  if ('changed' in copy) copy.changed = await redactReport(copy.changed, secretsOf);
  return copy;
}

/** Whether there is free text in it, anywhere. */
function speaks(value: unknown, isText: IsText, text: boolean, depth: number): boolean {
  if (typeof value !== 'object' || value === null)
    return text && (typeof value === 'string' || typeof value === 'number');
  if (depth > DEEP) return text;
  if (Array.isArray(value)) return value.some((item) => speaks(item, isText, text, depth + 1));
  for (const name in value)
    if (speaks((value as Record<string, unknown>)[name], isText, isText(name), depth + 1)) return true;
  return false;
}

async function valuesOf(item: unknown, secretsOf: SecretsOf): Promise<KnownValues> {
  const { service } = (item ?? {}) as { service?: unknown };
  return typeof service === 'string' ? secretsOf(service) : NO_VALUES;
}

function redacted(
  value: unknown,
  isText: IsText,
  values: KnownValues,
  text: boolean,
  depth: number,
): unknown {
  if (typeof value === 'string') return text ? redact(value, values) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEP) return text ? marker('value') : value;
  if (Array.isArray(value)) return value.map((item) => redacted(item, isText, values, text, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value))
    copy[name] =
      isText(name) && isSecretName(name) && inner !== null && typeof inner !== 'boolean'
        ? marker('value')
        : redacted(inner, isText, values, isText(name), depth + 1);
  return copy;
}

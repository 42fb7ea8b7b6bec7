import { inSlices } from '../slices.ts';
import { type KnownValues, NO_VALUES } from './known-values.ts';
import { redact } from './redact.ts';

/** Text that a runtime or a tool wrote. Everything else in evidence is a name, a number or a digest of the protocol. */
const FREE_TEXT = new Set(['message', 'reason']);
const DEEP = 12;

/** The secrets of a service's own specs. */
export type SecretsOf = (service: string) => Promise<KnownValues>;

/** Evidence on its way to the ledger: what is free text in its body passes redaction first (S15). */
export async function redactItem(item: unknown, secretsOf: SecretsOf): Promise<unknown> {
  if (typeof item !== 'object' || item === null || !('body' in item)) return item;
  // Most of what is proven says nothing in its own words: then nobody asks the store for secrets.
  if (!speaks(item.body, 0)) return item;
  return { ...item, body: redacted(item.body, await valuesOf(item, secretsOf), 0) };
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
      if (at < items.length && speaks(items[at], 0)) speaking.push(at);
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
      items[i] = redacted(items[i], known.get(items[i].service) ?? NO_VALUES, 0);
      return true;
    });
    copy[part] = items;
  }
  if ('changed' in copy) copy.changed = await redactReport(copy.changed, secretsOf);
  return copy;
}

/** Whether there is free text in it, anywhere. */
function speaks(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > DEEP) return false;
  if (Array.isArray(value)) return value.some((item) => speaks(item, depth + 1));
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'string' ? FREE_TEXT.has(key) : speaks(inner, depth + 1)) return true;
  }
  return false;
}

async function valuesOf(item: object, secretsOf: SecretsOf): Promise<KnownValues> {
  const { service } = item as { service?: unknown };
  return typeof service === 'string' ? secretsOf(service) : NO_VALUES;
}

function redacted(value: unknown, values: KnownValues, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > DEEP) return value;
  if (Array.isArray(value)) return value.map((item) => redacted(item, values, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value))
    copy[key] =
      typeof inner === 'string' && FREE_TEXT.has(key)
        ? redact(inner, values)
        : redacted(inner, values, depth + 1);
  return copy;
}

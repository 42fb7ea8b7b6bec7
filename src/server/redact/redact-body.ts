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
  return { ...item, body: redacted(item.body, await valuesOf(item, secretsOf), 0) };
}

/** A report on its way in: instances and their containers carry messages of the runtime. */
export async function redactReport(report: unknown, secretsOf: SecretsOf): Promise<unknown> {
  if (typeof report !== 'object' || report === null) return report;
  const copy: Record<string, unknown> = { ...report };
  for (const part of ['instances', 'services'] as const)
    if (Array.isArray(copy[part]))
      copy[part] = await Promise.all(copy[part].map((item) => redactSeen(item, secretsOf)));
  if ('changed' in copy) copy.changed = await redactReport(copy.changed, secretsOf);
  return copy;
}

/** Most of what is seen says nothing in its own words, and costs nothing here. */
async function redactSeen(item: unknown, secretsOf: SecretsOf): Promise<unknown> {
  if (typeof item !== 'object' || item === null) return item;
  const { message, containers } = item as { message?: unknown; containers?: unknown };
  const silent =
    (message === undefined || message === null) && !(Array.isArray(containers) && containers.length > 0);
  return silent ? item : redacted(item, await valuesOf(item, secretsOf), 0);
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

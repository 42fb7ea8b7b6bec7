import { redact } from './redact.ts';

/** Text that a runtime or a tool wrote. Everything else in evidence is a name, a number or a digest of the protocol. */
const FREE_TEXT = new Set(['message', 'reason']);
const DEEP = 12;

/** Evidence on its way to the ledger: what is free text in its body passes redaction first (S15). */
export function redactBody(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || !('body' in item)) return item;
  return { ...item, body: redacted(item.body, 0) };
}

/** A report on its way in: instances and their containers carry messages of the runtime. */
export function redactReport(report: unknown): unknown {
  return redacted(report, 0);
}

function redacted(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > DEEP) return value;
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value))
    copy[key] = typeof inner === 'string' && FREE_TEXT.has(key) ? redact(inner) : redacted(inner, depth + 1);
  return copy;
}

/** An answer as a caller gets it: the verb's value, nothing in time, or 503. */
export type CallResult<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'unavailable' };

/** An answer in a few words, for a trace: a refusal's code, a verdict, or the number of what was accepted. */
export function answerText(reply: CallResult<unknown>): string {
  if (reply.kind === 'unavailable') return ': 503';
  if (reply.kind === 'timeout') return '';
  const words = valueText(reply.value);
  return words === null ? '' : `: ${words}`;
}

function valueText(value: unknown): string | null {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  if (typeof value !== 'object' || value === null) return null;
  const fields = value as Readonly<Record<string, unknown>>;
  if (fields.ok === false) return `refused, ${fields.code}`;
  if ('verdict' in fields) return `${fields.verdict}${fields.reason == null ? '' : `, ${fields.reason}`}`;
  if (Array.isArray(fields.offers))
    return fields.offers.length === 0 ? 'no work' : `offered ${fields.offers.map(idOf).join(', ')}`;
  if ('revision' in fields) return `r${fields.revision} a${fields.attempt}`;
  if ('epoch' in fields) return `epoch ${fields.epoch}`;
  return 'ok';
}

function idOf(offer: unknown): string {
  return String((offer as { readonly id?: unknown } | null)?.id);
}

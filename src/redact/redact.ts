import { ADDRESSES } from './addresses.ts';
import { CREDENTIALS } from './credentials.ts';
import { KeywordScan } from './keyword-scan.ts';
import { type KnownValues, NO_VALUES } from './known-values.ts';
import type { Pattern } from './pattern.ts';
import { isKeyLine, KEY_KIND, KEY_LINE_LENGTH, KEY_LINES, PRIVATE_KEYS } from './private-keys.ts';
import { VENDOR_TOKENS } from './vendor-tokens.ts';
import { visible } from './visible.ts';

/** Patterns in order: the most specific first, because later ones leave alone what an earlier one has replaced. */
export const PATTERNS: readonly Pattern[] = [...PRIVATE_KEYS, ...VENDOR_TOKENS, ...ADDRESSES, ...CREDENTIALS];

const SCAN = new KeywordScan(PATTERNS);

/** An address or the name of a machine or an image names a host on purpose: it would say nothing without it. */
const IN_NAMES = new KeywordScan(PATTERNS.filter(({ kind }) => kind !== 'host'));
const PLAIN = /^[\x20-\x7e]*$/;

/** The replacement of an earlier pattern, as much of it as this one took for a value. */
const MARKER = /^\\*["'`]?\[?redacted(?:[ \]]|$)/;

export const marker = (kind: string) => `[redacted ${kind}]`;

/**
 * What can be seen of a text, with every secret in it replaced by `[redacted <kind>]`. All that enters as operator text or as a
 * log line passes here before it is stored (S15). It can only know secrets by how they look or by what stands
 * before them; those of a service's own spec are given to it as `values`.
 */
export function redact(text: string, values: KnownValues = NO_VALUES): string {
  let result = values.replaceIn(visible(text));
  if (result.length >= KEY_LINE_LENGTH) {
    result = result.replace(KEY_LINES, (line) => (isKeyLine(line) ? marker(KEY_KIND) : line));
  }
  for (const pattern of SCAN.candidates(result)) result = replaced(result, pattern);
  return result;
}

/**
 * The same for what is a name or an address, and no text: hosts stay, and so does what may be a hash in base64. Every
 * instance of every report has such names, so it costs one pass over what is plain and holds no keyword.
 */
export function redactName(name: string, values: KnownValues = NO_VALUES): string {
  let result = values.replaceIn(PLAIN.test(name) ? name : visible(name));
  for (const pattern of IN_NAMES.candidates(result)) result = replaced(result, pattern, isPort);
  return result;
}

/** A host and port, as in `http://vault-secret:8200/`, are no secret, whatever the host is called. */
const isPort = (secret: string, lead: string, before: string) =>
  /^\d{1,5}(?:\/|$)/.test(secret) && /^[a-z]{1,10}:\/\/[\w.-]{0,255}:$/.test(before + lead);

function replaced(
  text: string,
  { kind, pattern, keep }: Pattern,
  isNone: (secret: string, lead: string, before: string) => boolean = () => false,
): string {
  return text.replace(pattern, (match: string, ...groups: unknown[]) => {
    const lead = typeof groups[0] === 'string' ? groups[0] : '';
    const secret = match.slice(lead.length);
    if (MARKER.test(secret) || keep?.(secret, lead)) return match;
    if (isNone(secret, lead, text.slice(0, text.indexOf(match)))) return match;
    const quote = /^\\*["'`]/.exec(secret)?.[0] ?? '';
    return `${lead}${quote}${marker(kind)}`;
  });
}

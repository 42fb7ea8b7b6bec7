import { ADDRESSES } from './addresses.ts';
import { CREDENTIALS } from './credentials.ts';
import { replaceEncodedPairs } from './encoded.ts';
import { KeywordScan } from './keyword-scan.ts';
import type { Pattern } from './pattern.ts';
import { isKeyLine, KEY_KIND, KEY_LINE_LENGTH, KEY_LINES, PRIVATE_KEYS } from './private-keys.ts';
import { NO_VALUES, type SecretValues } from './secret-values.ts';
import { UNFOLDINGS, unfoldedWhole } from './unfolded.ts';
import { VENDOR_TOKENS } from './vendor-tokens.ts';
import { visible } from './visible.ts';

/** Patterns in order: the most specific first, because later ones leave alone what an earlier one has replaced. */
export const PATTERNS: readonly Pattern[] = [...PRIVATE_KEYS, ...VENDOR_TOKENS, ...ADDRESSES, ...CREDENTIALS];

const SCAN = new KeywordScan(PATTERNS);

/**
 * The patterns for names. Hosts stay: without its host an address, a machine or an image would be useless.
 */
const IN_NAMES = new KeywordScan(PATTERNS.filter(({ kind }) => kind !== 'host'));
const PLAIN = /^[\x20-\x7e]*$/;

/** The replacement of an earlier pattern, as much of it as this one took for a value. */
const MARKER = /^\\*["'`]?\[?redacted(?:[ \]]|$)/;

export const marker = (kind: string) => `[redacted ${kind}]`;

/**
 * Removes invisible characters, and replaces every secret in a text by `[redacted <kind>]`. All operator text
 * and every log line passes here before it is stored (S15). It recognises secrets by their form or by the
 * text before them; `values` are the secrets of the service's own spec.
 */
export function redact(text: string, values: SecretValues = NO_VALUES): string {
  let result = redactAsWritten(visible(text), values);
  let isSpelled = false;
  for (const unfold of UNFOLDINGS) {
    const unfolded = unfold(result);
    if (unfolded === result) continue;
    isSpelled = true;
    const redacted = redactAsWritten(unfolded, values);
    // The text stays as it was written unless that hides a secret.
    if (redacted !== unfolded) result = redacted;
  }
  if (!isSpelled) return result;
  const whole = unfoldedWhole(result);
  const redacted = redactAsWritten(whole, values);
  return redacted === whole ? result : redacted;
}

function redactAsWritten(text: string, values: SecretValues): string {
  let result = values.replaceIn(text);
  if (result.length >= KEY_LINE_LENGTH) {
    result = result.replace(KEY_LINES, (line) => (isKeyLine(line) ? marker(KEY_KIND) : line));
  }
  for (const pattern of SCAN.candidates(result)) result = replaced(result, pattern);
  return replaceEncodedPairs(result, marker('value'));
}

/**
 * Redacts a name or an address: hosts stay, and so does text that may be a hash in base64. Every instance of
 * every report has such names, so a plain one without a keyword costs one pass.
 */
export function redactName(name: string, values: SecretValues = NO_VALUES): string {
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

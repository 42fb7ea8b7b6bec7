import { InvalidArgumentError } from 'commander';
import { IMAGE_NAME, NAMESPACE_NAME } from '../contract/names.ts';

/** Parses an instant from an option: a date, a time of the last 24 hours as the clock on the wall shows it, or `-10m`. */
export function instantOf(text: string, now = Date.now()): number {
  if (/^-\d/.test(text)) return now - durationOf(text.slice(1));
  const at = /^\d{1,2}:\d{2}(:\d{2})?$/.test(text) ? timeOfDay(text, now) : Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError('Not a date. Write 2026-08-01T14:03Z, 14:03 or -10m.');
  return at;
}

/** The last time that the clock on the wall showed it. */
function timeOfDay(text: string, now: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number);
  if (hours > 23 || minutes > 59 || seconds > 59) return Number.NaN;
  const at = new Date(now).setHours(hours, minutes, seconds, 0);
  return at <= now ? at : new Date(at).setDate(new Date(at).getDate() - 1);
}

/** The beginning of a stretch: an instant, or how long ago without a sign. */
export const sinceOf = (text: string): number => instantOf(/^\d+[a-z]+$/.test(text) ? `-${text}` : text);

/** An instant as text for the server, which judges it by its own clock. */
export function instantText(text: string): string {
  return new Date(instantOf(text)).toISOString();
}

/** The API's limit. */
const REASON_CHARACTERS = 1_000;

export function reasonOf(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Say why: it is kept in the ledger.');
  if (text.length > REASON_CHARACTERS)
    throw new InvalidArgumentError(`Say it in ${REASON_CHARACTERS} characters: this has ${text.length}.`);
  return text;
}

export function countOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Must be a whole number, 0 or more.');
  return Number(text);
}

export function positiveOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Must be a whole number, 1 or more.');
  return Number(text);
}

export function namespaceOf(text: string): string {
  if (!NAMESPACE_NAME.test(text))
    throw new InvalidArgumentError('A namespace is named by up to 63 of a-z, 0-9 and -.');
  return text;
}

export function imageOf(text: string): string {
  if (!IMAGE_NAME.test(text))
    throw new InvalidArgumentError('Write it as host/name:tag or host/name@sha256:….');
  return text;
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses a duration with its unit to milliseconds. */
export function durationOf(text: string): number {
  const [, number, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(number) * UNITS[unit as keyof typeof UNITS];
  if (!(ms > 0)) throw new InvalidArgumentError('Write a number with its unit: 90s, 30m, 1h, 7d.');
  return ms;
}

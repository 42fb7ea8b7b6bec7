import { InvalidArgumentError } from 'commander';

/** Parses an instant from an option. */
export function instantOf(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new InvalidArgumentError('It is no date. Write it as 2026-08-01 or 2026-08-01T14:03Z.');
  return at;
}

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
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is no number.');
  return Number(text);
}

export function positiveOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It is no number from 1 on.');
  return Number(text);
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses a duration with its unit to milliseconds. */
export function durationOf(text: string): number {
  const [, number, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(number) * UNITS[unit as keyof typeof UNITS];
  if (!(ms > 0)) throw new InvalidArgumentError('Write a number with its unit: 90s, 30m, 1h, 7d.');
  return ms;
}

import { InvalidArgumentError } from 'commander';

/** An instant, as an option gives it. */
export function instantOf(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError('It is no date. Write it as 2026-08-01.');
  return at;
}

export function countOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is no number.');
  return Number(text);
}

/**
 * Fences, epochs, sequence numbers and positions: strings of digits, compared by value (F42).
 * Plain strings keep facts plain JSON and the wire form exact beyond 2^53; bigint was rejected because
 * every row, guard and message would need its own codec.
 */
export type Digits = string;

export const ZERO: Digits = '0';

/** A canonical string of digits: no sign, no leading zero, at most 30 digits. */
export const DIGITS = /^(?:0|[1-9]\d{0,29})$/;

/** Negative, zero or positive as `a` is below, equal to or above `b`. */
export function compareDigits(a: Digits, b: Digits): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

export const maxDigits = (a: Digits, b: Digits): Digits => (compareDigits(a, b) < 0 ? b : a);

export function addDigits(a: Digits, n: number): Digits {
  if (a.length < 15) return String(Number(a) + n);
  return (BigInt(a) + BigInt(n)).toString();
}

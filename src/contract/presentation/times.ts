/** A duration in words, short enough for a column. */
export function span(ms: number): string {
  const s = Math.max(0, ms) / 1000;
  if (s < 1) return `${s.toFixed(2)} s`;
  if (s < 60) return `${s.toFixed(1)} s`;
  const seconds = Math.round(s);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

/** An age in whole seconds that have passed: tenths would only flicker, and two ages of one instant never differ. */
export function ago(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  return s < 60 ? `${s} s ago` : `${span(s * 1000)} ago`;
}

/** An age in its largest unit, for something that happened once and is not waited for. */
export const longAgo = (ms: number): string => ago(ms).replace(/^(\d+ (?:min|h|d)) .*ago$/, '$1 ago');

/** An age at an instant of the past. */
export const before = (ms: number): string => ago(ms).replace(/ago$/, 'before');

/** A duration in its largest unit: `19 min`. */
export const longSpan = (ms: number): string => longAgo(ms).replace(' ago', '');

/** The time until something, in words. */
export const ahead = (ms: number): string => `in ${span(Math.max(0, Math.round(ms / 1000)) * 1000)}`;

/** The time of day of an instant, in the reader's time zone. */
export function clockTime(at: string | number): string {
  const day = new Date(at);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(day.getHours())}:${two(day.getMinutes())}:${two(day.getSeconds())}`;
}

/** A size in words. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 1_000_000) return `${(n / 1000).toFixed(1)} kB`;
  return n < 1_000_000_000 ? `${(n / 1_000_000).toFixed(1)} MB` : `${(n / 1_000_000_000).toFixed(2)} GB`;
}

/** The time of day to the millisecond, which names an instant exactly. */
export function preciseTime(at: string | number): string {
  return `${clockTime(at)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** The day of an instant if it is another than that of `now`; else empty. */
export function dayBefore(at: string | number, now: number): string {
  const day = new Date(at);
  const today = new Date(now);
  if (day.toDateString() === today.toDateString()) return '';
  const year = day.getFullYear() === today.getFullYear() ? '' : ` ${day.getFullYear()}`;
  return `${day.getDate()} ${MONTHS[day.getMonth()]}${year} `;
}

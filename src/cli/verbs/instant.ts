/** An instant for a column, to the second, in UTC as the server writes it. */
export function printedInstant(at: string | null): string {
  return at === null ? '-' : `${at.slice(0, 10)} ${at.slice(11, 19)}Z`;
}

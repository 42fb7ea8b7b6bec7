/** What is given of an input: clients send a null for what they leave out, and our schemas know a default for that. */
export function given<T extends object>(input: T): { [K in keyof T]: NonNullable<T[K]> } {
  const fields = Object.entries(input).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(fields) as { [K in keyof T]: NonNullable<T[K]> };
}

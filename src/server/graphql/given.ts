/** Leaves out the nulls of an input: clients send one for each field that they do not name, and our schemas have defaults. */
export function given<T extends object>(input: T): { [K in keyof T]: NonNullable<T[K]> } {
  const fields = Object.entries(input).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(fields) as { [K in keyof T]: NonNullable<T[K]> };
}

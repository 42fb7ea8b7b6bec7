/** The position of the newest cited evidence that the platform itself named, which carries its position. */
export function newestRecord(evidence: readonly string[]): string | null {
  const positions = evidence.filter((id) => /^e\d+$/.test(id)).map((id) => Number(id.slice(1)));
  return positions.length === 0 ? null : String(Math.max(...positions));
}

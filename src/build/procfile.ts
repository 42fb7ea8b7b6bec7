/** Process types and their commands, in the order of the Procfile. */
export function processTypes(text: string): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const found = /^([A-Za-z0-9_-]+)\s*:\s*(.*\S)\s*$/.exec(line);
    if (found?.[1] !== undefined && found[2] !== undefined) types.set(found[1], found[2]);
  }
  return types;
}

/** Gives lines to the browser as a file. */
export function downloadLines(fileName: string, type: string, lines: readonly string[]): void {
  const address = URL.createObjectURL(
    new Blob(
      lines.map((line) => `${line}\n`),
      { type },
    ),
  );
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // The browser has begun to read it by the next turn.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

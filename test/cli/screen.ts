import xterm from '@xterm/headless';

/** The content of a terminal after everything that was written to it. */
export async function screenOf(written: string, columns = 100): Promise<string> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 60, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(written, done));
  const { active } = terminal.buffer;
  return Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString(true) ?? '')
    .join('\n')
    .trimEnd();
}

// Real programs in real terminals, and drawings of what a person would see there.
import { spawn as spawnTerminal } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const CELL = { width: 8.4, height: 18 };
// Readable on light and on dark: the picture brings its own background.
const COLOURS = { background: '#16181d', text: '#d7dae0', dim: '#868d9c' };
const PALETTE = ['#16181d', '#f2777a', '#8fd18a', '#f0c674', '#81a2be', '#c397d8', '#70c0b1', '#d7dae0'];
const GAP = 16;

/** @typedef {{ x: number, text: string, colour: string, bold: boolean }} Run neighbours that look alike */

/**
 * A program in a terminal of its own.
 * @param {string} program @param {string[]} args
 * @param {{ cwd: string, env?: Record<string, string>, columns?: number }} options
 */
export function openTerminal(program, args, { cwd, env: more = {}, columns = 100 }) {
  const { CI: _ci, NO_COLOR: _none, ...env } = process.env;
  const screen = new xterm.Terminal({ cols: columns, rows: 60, allowProposedApi: true });
  const child = spawnTerminal(program, args, {
    cols: columns,
    rows: 60,
    cwd,
    env: { ...env, ...more, TERM: 'xterm-256color' },
  });
  let said = '';
  /** @type {Set<() => void>} */
  const waiting = new Set();
  child.onData((text) => {
    said += text;
    screen.write(text);
    for (const look of waiting) look();
  });
  const ended = new Promise((done) => child.onExit(done));
  return {
    ended,
    /** @param {string} text */
    until: (text) =>
      new Promise((done) => {
        const look = () => said.includes(text) && done(undefined);
        waiting.add(look);
        look();
      }),
    cells: async () => {
      await new Promise((done) => screen.write('', () => done(undefined)));
      return rowsOf(screen);
    },
  };
}

/** Output without colours, as a terminal would show it. @param {string} output @returns {Run[][]} */
export const plainRows = (output) =>
  output
    .trimEnd()
    .split('\n')
    .map((text) => [{ x: 0, text, colour: COLOURS.text, bold: false }]);

/** @param {import('@xterm/headless').Terminal} screen @returns {Run[][]} */
function rowsOf(screen) {
  const { active } = screen.buffer;
  const rows = Array.from({ length: active.length }, (_, y) => runsOf(active.getLine(y)));
  while (rows.at(-1)?.every(({ text }) => text.trim() === '')) rows.pop();
  return rows;
}

/** @param {import('@xterm/headless').IBufferLine | undefined} line */
function runsOf(line) {
  /** @type {Run[]} */
  const runs = [];
  for (let x = 0; line !== undefined && x < line.length; x++) {
    const cell = line.getCell(x);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const palette = cell.isFgPalette() ? PALETTE[cell.getFgColor() % 8] : undefined;
    const colour = palette ?? (cell.isDim() ? COLOURS.dim : COLOURS.text);
    const bold = cell.isBold() !== 0;
    const last = runs.at(-1);
    const text = cell.getChars() || ' ';
    if (last?.colour === colour && last.bold === bold) last.text += text;
    else runs.push({ x, text, colour, bold });
  }
  return runs;
}

/**
 * Terminals side by side, as one SVG.
 * @param {string} title
 * @param {{ prompt: string, columns: number, rows: Run[][] }[]} terminals
 */
export function drawTerminals(title, terminals) {
  const lines = Math.max(...terminals.map(({ rows }) => rows.length));
  const height = (lines + 3) * CELL.height;
  let left = 0;
  const drawn = terminals.map(({ prompt, columns, rows }) => {
    const width = columns * CELL.width + 32;
    const at = left;
    left += width + GAP;
    return `<rect x="${at.toFixed(1)}" width="${width.toFixed(1)}" height="${height}" rx="8" fill="${COLOURS.background}"/>
<text x="${(at + 16).toFixed(1)}" y="${lineAt(0)}" fill="${COLOURS.dim}">${escaped(prompt)}</text>
${rows.flatMap((runs, y) => textsOf(runs, at + 16, lineAt(y + 1))).join('\n')}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${(left - GAP).toFixed(1)} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">
<title>${escaped(title)}</title>
${drawn.join('\n')}
</svg>
`;
}

/** @param {number} y */
const lineAt = (y) => (y + 2) * CELL.height;

/** Columns each by itself: not every viewer keeps several spaces in a row. @param {Run} run @returns {Run[]} */
function wordsOf(run) {
  return [...run.text.matchAll(/ *\S+(?: \S+)*/g)].map(([text], i, all) => ({
    ...run,
    x: run.x + (i === 0 ? 0 : all.slice(0, i).reduce((sum, [before]) => sum + before.length, 0)),
    text,
  }));
}

/** @param {Run[]} runs @param {number} left @param {number} y */
function textsOf(runs, left, y) {
  return runs
    .flatMap(wordsOf)
    .filter(({ text }) => text.trim() !== '')
    .map(({ x, text, colour, bold }) => {
      const words = text.trimEnd();
      const indent = words.length - words.trimStart().length;
      const at = left + (x + indent) * CELL.width;
      const length = (words.length - indent) * CELL.width;
      const weight = bold ? ' font-weight="bold"' : '';
      return `<text x="${at.toFixed(1)}" y="${y}" fill="${colour}" textLength="${length.toFixed(1)}"${weight}>${escaped(words.trim())}</text>`;
    });
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

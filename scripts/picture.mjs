// `npm run picture`: the picture in the README, captured from the real program in a real terminal. A broken deploy over
// a running one: the moment in which a status is most tempted to lie.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { bundleIfStale } from './bundle.mjs';
import { ROOT } from './root.mjs';
import { setUp } from './setup.mjs';

const COLUMNS = 100;
const EVIDENT = join(ROOT, 'bin', 'evident');
const CELL = { width: 8.4, height: 18 };
// Readable on light and on dark: the picture brings its own background.
const COLOURS = { background: '#16181d', text: '#d7dae0', dim: '#868d9c' };
const PALETTE = ['#16181d', '#f2777a', '#8fd18a', '#f0c674', '#81a2be', '#c397d8', '#70c0b1', '#d7dae0'];

await setUp();
await bundleIfStale('evident');
const dir = mkdtempSync(join(tmpdir(), 'evident-picture-'));
const data = join(dir, 'data');
const up = terminal(['up', '--data', data, '--port', '0']);
try {
  await up.until('Evident is ready');
  const web = join(dir, 'web');
  cpSync(join(ROOT, 'examples', 'hello'), web, { recursive: true });
  await terminal(['deploy', web]).ended;
  writeFileSync(join(web, 'server.js'), 'throw new Error("DATABASE_URL is not set");\n');
  const broken = terminal(['deploy', web]);
  await broken.ended;
  writeFileSync(
    join(ROOT, 'docs', 'pictures', 'deploy.svg'),
    drawn('$ evident deploy', await broken.cells()),
  );
  console.log('wrote docs/pictures/deploy.svg');
} finally {
  await terminal(['down', '--data', data]).ended;
  await up.ended;
  rmSync(dir, { recursive: true, force: true });
}

/** A command of the program in a terminal of its own, and what a person would see there. @param {string[]} args */
function terminal(args) {
  const { CI: _ci, NO_COLOR: _none, ...env } = process.env;
  const screen = new xterm.Terminal({ cols: COLUMNS, rows: 60, allowProposedApi: true });
  const child = spawnTerminal(process.execPath, [EVIDENT, ...args], {
    cols: COLUMNS,
    rows: 60,
    cwd: dir,
    env: { ...env, EVIDENT_DATA: data, TERM: 'xterm-256color' },
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

/** @param {import('@xterm/headless').Terminal} screen */
function rowsOf(screen) {
  const { active } = screen.buffer;
  const rows = Array.from({ length: active.length }, (_, y) => runsOf(active.getLine(y)));
  while (rows.at(-1)?.every(({ text }) => text.trim() === '')) rows.pop();
  return rows;
}

/** Neighbours that look alike, as one. @param {import('@xterm/headless').IBufferLine | undefined} line */
function runsOf(line) {
  /** @type {{ x: number, text: string, colour: string, bold: boolean }[]} */
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

/** @param {string} prompt @param {ReturnType<typeof rowsOf>} rows */
function drawn(prompt, rows) {
  const height = (rows.length + 3) * CELL.height;
  const width = COLUMNS * CELL.width + 32;
  const line = (/** @type {number} */ y) => (y + 2) * CELL.height;
  const texts = rows.flatMap((runs, y) =>
    runs
      .filter(({ text }) => text.trim() !== '')
      .map(({ x, text, colour, bold }) => {
        const words = text.trimEnd();
        const indent = words.length - words.trimStart().length;
        const at = 16 + (x + indent) * CELL.width;
        const length = (words.length - indent) * CELL.width;
        const weight = bold ? ' font-weight="bold"' : '';
        return `<text x="${at.toFixed(1)}" y="${line(y + 1)}" fill="${colour}" textLength="${length.toFixed(1)}"${weight}>${escaped(words.trim())}</text>`;
      }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">
<title>evident deploy: the new revision does not start, the old one is still serving</title>
<rect width="100%" height="100%" rx="8" fill="${COLOURS.background}"/>
<text x="16" y="${line(0)}" fill="${COLOURS.dim}">${escaped(prompt)}</text>
${texts.join('\n')}
</svg>
`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addLauncher } from '../build/launcher.ts';
import { appFolder, machinePath, throughLauncher } from './launcher.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident launcher-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (at: string, words: string[]) => {
  const [program = '', ...args] = throughLauncher(at, words);
  return execFileSync(program, args, { cwd: at, encoding: 'utf8', env: { PATH: process.env.PATH } });
};

it('the launcher finds installed programs wherever the artifact lies, and keeps the words of the command', async () => {
  const app = join(dir, 'app');
  mkdirSync(join(app, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(app, 'node_modules/.bin/say'), '#!/bin/sh\nprintf "<%s>" "$@"', { mode: 0o755 });
  await addLauncher(app, '.');
  const moved = join(dir, 'moved $HOME');
  cpSync(app, moved, { recursive: true });
  rmSync(app, { recursive: true });
  expect(run(moved, ['say', 'a b', '$HOME', '; exit 1'])).toBe('<a b><$HOME><; exit 1>');
});

it('an app without installed programs is started unchanged', async () => {
  mkdirSync(join(dir, 'app'));
  await addLauncher(join(dir, 'app'), '.');
  expect(throughLauncher(join(dir, 'app'), ['node', 'x'])).toEqual(['node', 'x']);
});

it('an app in a folder of its artifact is started there, with the programs of both', async () => {
  const top = join(dir, 'top');
  const root = 'packages/my "$api';
  for (const [at, text] of [
    ['.', 'outer'],
    [root, 'inner'],
  ] as const) {
    mkdirSync(join(top, at, 'node_modules/.bin'), { recursive: true });
    writeFileSync(join(top, at, `node_modules/.bin/${text}`), '#!/bin/sh\npwd', { mode: 0o755 });
  }
  await addLauncher(top, root);
  const app = join(realpathSync(top), root);
  expect([run(top, ['outer']), run(top, ['inner'])]).toEqual([`${app}\n`, `${app}\n`]);
  expect(appFolder(top)).toBe(join(top, root));
  writeFileSync(join(top, '.evident/folder'), '../../elsewhere');
  expect(appFolder(top)).toBe(top);
});

it('programs are those of the machine, not those that npm adds for the person who runs Evident', () => {
  const path =
    '/checkout/node_modules/.bin:/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin:relative:/usr/bin';
  expect(machinePath(path).split(':')).toEqual(
    ['/usr/bin', dirname(process.execPath)].filter((at, n, all) => all.indexOf(at) === n),
  );
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Listeners } from './listener.ts';
import { identify } from './proc.ts';

const ending: (() => void)[] = [];
afterEach(() => {
  for (const end of ending.splice(0)) end();
});

function run(...command: [string, ...string[]]) {
  const [program, ...args] = command;
  const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  ending.push(() => child.kill('SIGKILL'));
  return child;
}

it('a listener in the container of an instance is its own, though it descends from nothing of it (F118)', async () => {
  const home = mkdtempSync(join(tmpdir(), 'evident-listener-'));
  ending.push(() => rmSync(home, { recursive: true }));
  const leader = identify(run('sleep', '60').pid ?? 0);
  if (leader === null) throw new Error('nothing runs');
  const program = `const s = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(s.address().port))`;
  const daemon = run(process.execPath, '-e', program);
  const [line] = await once(daemon.stdout, 'data');
  const instance = { leader, uid: 'nobody', home };
  const listening = () => new Listeners().of(instance, Number(String(line)));
  const ports = () => new Listeners().portsOf(instance);
  expect(await listening()).toEqual({ addresses: [], isTaken: true });
  expect(await ports()).toEqual([]);
  writeFileSync(join(home, 'cgroup.procs'), `${daemon.pid}\n`);
  writeFileSync(join(home, 'container.json'), JSON.stringify({ kind: 'cgroup', dir: home }));
  expect(await listening()).toEqual({ addresses: ['127.0.0.1'], isTaken: false });
  expect(await ports()).toEqual([Number(String(line))]);
});

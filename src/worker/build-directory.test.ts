import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clearLeftovers, createBuildDirectory } from './build-directory.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'evident-place-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const isAlive = (pid: number) => {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

async function runAt(home: string): Promise<number> {
  const child = spawn('sleep', ['1000'], {
    env: { PATH: process.env.PATH, HOME: home },
    detached: true,
    stdio: 'ignore',
  });
  await once(child, 'spawn');
  return child.pid ?? -1;
}

it('a leftover directory is removed with all processes that ran there (F07)', async () => {
  const dir = join(root, `${2 ** 22 + 1}-1-left`);
  mkdirSync(join(dir, 'home'), { recursive: true });
  const pids = await Promise.all([0, 1].map(() => runAt(join(dir, 'home'))));
  expect(await clearLeftovers(root)).toEqual({ cleared: 1, stuck: [] });
  expect(pids.filter(isAlive)).toEqual([]);
  expect(existsSync(dir)).toBe(false);
});

it('a directory whose owner’s pid belongs to another process by now, or that no worker created, is removed too', async () => {
  for (const name of [`${process.pid}-1-left`, 'other'])
    mkdirSync(join(root, name, 'home'), { recursive: true });
  expect(await clearLeftovers(root)).toEqual({ cleared: 2, stuck: [] });
});

it('the directory of a living worker stays', async () => {
  const place = await createBuildDirectory(root);
  expect(await clearLeftovers(root)).toEqual({ cleared: 0, stuck: [] });
  expect(existsSync(place.dir)).toBe(true);
});

it('a directory belongs to its owner from its creation, also for a worker that clears at the same time', async () => {
  let isDone = false;
  const creating = Promise.all(Array.from({ length: 200 }, () => createBuildDirectory(root))).finally(() => {
    isDone = true;
  });
  let cleared = 0;
  while (!isDone) cleared += (await clearLeftovers(root)).cleared;
  expect(cleared).toBe(0);
  for (const { home } of await creating) expect(existsSync(home)).toBe(true);
});

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, 'main.ts');
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-story-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Loaded before the program: it kills itself, since a kill by the parent would come late on a busy machine. */
const DIES_SAYING = `data:text/javascript,
  const { stdout, env, pid } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = (text, ...rest) => {
    const written = write(text, ...rest);
    if (text.includes(env.DIES_SAYING)) process.kill(pid, 'SIGKILL');
    return written;
  };`;

/** Plays the story in a process of its own, which is killed as soon as it has printed `until`. */
function play(until: string | null): Promise<{ readonly output: string; readonly code: number | null }> {
  const dying = until === null ? [] : ['--import', DIES_SAYING];
  const child = spawn(
    process.execPath,
    ['--import', 'tsx/esm', ...dying, MAIN, 'story', '--data', dir],
    until === null ? {} : { env: { ...process.env, DIES_SAYING: until } },
  );
  let output = '';
  return new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    child.on('close', (code) => resolve({ output, code }));
  });
}

it('a story in SQLite that is killed at any line and played again continues from what is recorded', {
  timeout: 120_000,
}, async () => {
  for (const line of ['Waiting for', 'builder-2 takes it over', 'applying_runtime_state', 'starting'])
    expect((await play(line)).code, line).toBeNull();
  const { output, code } = await play(null);
  expect(code, output).toBe(0);
  expect(output).toContain('after 4 of its revisions');
  expect(output).toMatch(/✓ running\s+Running\n\n.*what is on record/s);
});

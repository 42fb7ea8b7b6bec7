import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** The exit code and both outputs, as a script receives them. */
function evident(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/evident', ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the exit code of evident', () => {
  it.each([[['version']], [['--help']], [['model', '--help']]])(
    '%j exits with 0',
    (args) => {
      const { status, stderr } = evident(...args);
      expect([status, stderr]).toEqual([0, '']);
    },
    60_000,
  );

  it.each([[['story', '--data', '/proc/nowhere']], [['rebuild', '--check', '--data', '/nowhere']]])(
    '%j cannot be done: it exits with 1 and prints a sentence, without a stack',
    (args) => {
      const { status, stdout, stderr } = evident(...args);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/--data/);
      expect(stderr).not.toMatch(/\n\s+at /);
    },
    60_000,
  );

  it.each([
    [['agent', '--target', 'BAD!']],
    [['agent', '--target', 'ok', '--runtime', 'docker']],
    [['agent', 'install', '--target', 'ok', '--server', 'nonsense']],
    [['agent', 'install', '--target', 'ok', '--image', 'bad image']],
  ])(
    '%j is misused: it exits with 2 and prints a sentence',
    (args) => {
      const { status, stdout, stderr } = evident(...args);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).not.toMatch(/\n\s+at /);
    },
    60_000,
  );

  it.each([
    [['nonsense'], /unknown command/],
    [['version', '--nonsense'], /unknown option/],
    [['model', '-o', 'xml'], /Allowed choices are json, yaml, table, wide/],
  ])(
    '%j is misused: it exits with 2 and prints the usage, without a stack',
    (args, why) => {
      const { status, stdout, stderr } = evident(...args);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(why);
      expect(stderr).not.toMatch(/\n\s+at /);
    },
    60_000,
  );
});

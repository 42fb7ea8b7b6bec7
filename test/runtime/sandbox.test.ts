import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { viewOf } from '../../src/runtime/process/file-view.ts';
import { signalIn } from '../../src/runtime/process/proc.ts';
import { enclose, type Sandbox, sandboxesHere } from '../../src/runtime/process/sandbox.ts';
import { workingSandbox } from '../../src/runtime/process/sandbox-trial.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-sandbox-'));
  for (const name of ['mine', 'mine/tmp', 'theirs']) mkdirSync(join(dir, name));
  writeFileSync(join(dir, 'token'), 'hush');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The output and the end of a shell, in a sandbox that shows only `mine`. */
function run(sandbox: Sandbox, script: string): { out: string; status: number | null } {
  const mine = join(dir, 'mine');
  const [program = '', ...args] = enclose(sandbox, {
    words: ['/bin/sh', '-c', script, 'sh', dir],
    cwd: mine,
    view: viewOf([dir], [mine], join(mine, 'tmp')),
  });
  const { stdout, status } = spawnSync(program, args, { encoding: 'utf8' });
  return { out: stdout, status };
}

const HERE = workingSandbox([]);

describe.skipIf(HERE === null)(HERE === null ? 'sandboxes (skipped: none works here)' : 'sandboxes', () => {
  it('hide the home of Evident’s user, and what obeys that user', () => {
    const home = existsSync(homedir()) && homedir() !== '/' ? [realpathSync(homedir())] : [];
    expect(viewOf([], [], dir).hidden).toEqual(expect.arrayContaining([realpathSync('/run'), ...home]));
  });

  describe.each(sandboxesHere())('$kind', (sandbox) => {
    it('shows a program its own directories, and none of the others', () => {
      expect(run(sandbox, 'ls "$1"; cat "$1/token"; pwd').out).toBe(`mine\n${join(dir, 'mine')}\n`);
    });

    it('lets it write to its own and to its own /tmp, and nowhere else', () => {
      const script =
        'for at in . /tmp /var/tmp "$1" "$1/.." /etc /run /dev; do : > "$at/x-written" && echo "$at"; done 2>&1';
      const written = run(sandbox, script)
        .out.split('\n')
        .filter((line) => !line.includes('cannot create'));
      expect(written.filter((at) => !['/dev', ''].includes(at))).toEqual(['.', '/tmp', '/var/tmp']);
      expect(readdirSync(join(dir, 'mine', 'tmp'))).toContain('x-written');
      expect(readdirSync(dir).sort()).toEqual(['mine', 'theirs', 'token']);
    });

    it('cannot be opened from inside', () => {
      const script =
        'umount -l "$1"; unshare --user --map-root-user --mount umount "$1"; mount -o remount,rw /; cat "$1/token"; true';
      expect(run(sandbox, `{ ${script}; } 2>/dev/null`)).toEqual({ out: '', status: 0 });
    });

    it('shows no process of the machine', () => {
      const { out } = run(sandbox, 'cd /proc; for pid in [0-9]*; do echo "$pid"; done');
      expect(out.trim().split('\n').length).toBeLessThan(4);
    });

    it('hands on how a program ended', () => {
      expect(run(sandbox, 'exit 3').status).toBe(3);
      expect(signalIn(run(sandbox, 'kill -SEGV $$').status ?? 0)).toBe('SIGSEGV');
      expect(signalIn(3)).toBeNull();
    });
  });
});

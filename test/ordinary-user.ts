import { execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUBBLEWRAP_MISSING, hasBubblewrap } from '../lab/bubblewrap.ts';
import { ROOT } from '../scripts/root.mjs';

/** A user who owns nothing here. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/**
 * Runs files of tests once more as an ordinary user, if the tests themselves are run by root: it may do other things, and
 * may look at others less. Where that cannot be, the name says why it is skipped.
 */
export function describeAsOrdinaryUser(
  sandbox: 'bwrap' | 'unshare',
  files: readonly string[],
  timeout: number,
): void {
  const why = reasonAgainst(sandbox);
  const name = `as an ordinary user, by ${sandbox}`;
  describe.skipIf(why !== null)(why === null ? name : `${name} (skipped: ${why})`, () => {
    // As where root runs containers: their mounts lie in directories that nobody else may enter.
    let unreachable = '';
    beforeAll(() => {
      unreachable = mkdtempSync(join(tmpdir(), 'evident-unreachable-'));
      mkdirSync(join(unreachable, 'of-root'));
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(unreachable, 'of-root')]);
    });
    afterAll(() => {
      execFileSync('umount', [join(unreachable, 'of-root')]);
      rmSync(unreachable, { recursive: true });
    });
    it(`passes ${files.join(', ')}`, { timeout }, async () => {
      const { code, output } = await run(sandbox, files);
      expect(code, failuresIn(output)).toBe(0);
    });
  });
}

function reasonAgainst(sandbox: 'bwrap' | 'unshare'): string | null {
  if (process.getuid?.() !== 0) return 'the tests are run by one';
  if (sandbox === 'bwrap' && !hasBubblewrap()) return BUBBLEWRAP_MISSING;
  const asNobody = { ...NOBODY, cwd: '/', stdio: 'ignore' } as const;
  const reads = spawnSync(
    process.execPath,
    ['-e', `require(${JSON.stringify(join(ROOT, 'package.json'))})`],
    asNobody,
  );
  if (reads.status !== 0) return 'other users may not read this checkout';
  const trial =
    sandbox === 'bwrap'
      ? ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', 'true']
      : ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--mount-proc', 'true'];
  return spawnSync(sandbox, trial, asNobody).status === 0 ? null : `${sandbox} may not make namespaces here`;
}

async function run(
  sandbox: string,
  files: readonly string[],
): Promise<{ code: number | null; output: string }> {
  const args = ['--config', 'test/ordinary-user.config.mjs', '--configLoader', 'native'];
  const options: SpawnOptions = {
    ...{ cwd: ROOT, ...NOBODY, stdio: ['ignore', 'pipe', 'pipe'] },
    env: {
      PATH: process.env.PATH,
      TMPDIR: tmpdir(),
      HOME: '/nonexistent',
      EVIDENT_TEST_SANDBOX: sandbox,
      NO_COLOR: '1',
    },
  };
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...args, ...files],
    options,
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const code = await new Promise<number | null>((done) => {
    child.once('close', done);
  });
  return { code, output };
}

/** What failed; the names of what passed before it would be all that a closing line has room for. */
const failuresIn = (output: string) => output.slice(Math.max(0, output.indexOf(' FAIL ')));

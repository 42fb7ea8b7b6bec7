import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppUser } from './app-users.ts';
import { viewOf } from './file-view.ts';
import { enclose, type Sandbox, sandboxesHere } from './sandbox.ts';

const TRIAL_MS = 10_000;

/** Run inside: it ends with 0 if only its own processes are there, and with a view only its own files. */
const LOOKS = `
const fs = require('node:fs');
const [own, hidden] = process.argv.slice(1);
fs.writeFileSync(own + '/written', '');
const processes = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name));
process.exit(processes.length < 4 && process.ppid > 0 && (hidden === '' || !fs.existsSync(hidden)) ? 0 : 1);
`;

/**
 * The first sandbox that really works here, tried out: kernels, containers and security modules forbid namespaces in
 * more ways than anybody can read off their versions.
 *
 * @param evident the directories that it must hide; null to keep only processes apart
 * @param user who will use it, if not our own user
 */
export function workingSandbox(
  evident: readonly string[] | null,
  user: AppUser | null = null,
): Sandbox | null {
  return sandboxesHere().find((sandbox) => works(sandbox, evident, user)) ?? null;
}

function works(sandbox: Sandbox, evident: readonly string[] | null, user: AppUser | null): boolean {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'evident-trial-')));
  try {
    const [own, secret] = [join(place, 'own'), join(place, 'secret')];
    mkdirSync(own);
    writeFileSync(secret, '');
    if (user !== null) for (const path of [place, own]) chownSync(path, user.uid, user.gid);
    const view = evident === null ? null : viewOf([...evident, place], [own], own);
    const [program = '', ...args] = enclose(sandbox, {
      words: [process.execPath, '-e', LOOKS, own, view === null ? '' : secret],
      ...{ cwd: own, view },
    });
    const { status } = spawnSync(program, args, {
      ...{ cwd: '/', env: {}, stdio: 'ignore', timeout: TRIAL_MS, killSignal: 'SIGKILL', ...user },
    });
    return status === 0;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Two files of tests may find something missing at the same moment, and of two apt-gets the second gives up at once. */
const LOCK = join(tmpdir(), 'evident-apt.lock');

/** As root on Debian the tests help themselves; elsewhere they say what they would need. */
export function installPackage(name: string): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  process.stderr.write(`installing ${name} with apt-get, once\n`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'] as ('ignore' | 'inherit')[],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  const install = `apt-get update -q; apt-get install -q -y --no-install-recommends ${name}`;
  spawnSync('flock', [LOCK, 'sh', '-c', install], options);
}

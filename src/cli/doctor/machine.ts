import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../../package.json' with { type: 'json' };
import { bytes } from '../../contract/presentation/times.ts';
import { mayUseAppUsers } from '../../runtime/process/app-users.ts';
import { workingSandbox } from '../../runtime/process/sandbox-trial.ts';
import { ConfigRefused, resolveConfig } from '../../server/config.ts';
import { distrust } from '../own-file.ts';
import { type Check, fail, ok, warn } from './check.ts';

const run = promisify(execFile);
const ENOUGH_BYTES = 1024 ** 3;
const TOO_LITTLE_BYTES = 100 * 1024 ** 2;

export function nodeVersion(version = process.versions.node, wanted = manifest.engines.node): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantMajor = 0, wantMinor = 0] = (/\d+(\.\d+)?/.exec(wanted)?.[0] ?? '').split('.').map(Number);
  const isEnough = major > wantMajor || (major === wantMajor && minor >= wantMinor);
  if (isEnough) return ok('Node', version);
  return fail('Node', `${version}, and ${wanted} is needed`, 'Install a newer Node: https://nodejs.org');
}

export function checkDataDirectory(dir: string): Check {
  const name = 'data directory';
  if (!existsSync(dir))
    return warn(
      name,
      `${dir} is not there`,
      'It is made when a server starts: evident server. Or name another with EVIDENT_DATA.',
    );
  try {
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fail(
      name,
      `${dir} may not be written by you`,
      `Make it yours: sudo chown -R "$USER" ${dir}. Or choose another with EVIDENT_DATA.`,
    );
  }
  const refused = distrust(dir, process.getuid?.() ?? 0);
  if (refused !== null)
    return fail(name, refused, `Commands read no token from it. Make it yours alone: chmod go-w ${dir}`);
  const token = join(dir, 'admin-token');
  if (existsSync(token) && (statSync(token).mode & 0o077) !== 0)
    return fail(
      name,
      `${token} may be read by others`,
      `chmod 600 ${token}, and make a new token: evident tokens create --role admin`,
    );
  return ok(name, dir);
}

export function configuration(dir: string): Check {
  try {
    resolveConfig({ data: dir });
    return ok('configuration', existsSync(join(dir, 'config.yaml')) ? join(dir, 'config.yaml') : 'defaults');
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    return fail(
      'configuration',
      error.message,
      'Correct it; evident config show prints each value with its origin.',
    );
  }
}

export async function diskSpace(dir: string): Promise<Check> {
  let at = dir;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  const { bavail, bsize } = await statfs(existsSync(at) ? at : tmpdir());
  const free = bavail * bsize;
  const found = `${bytes(free)} free at ${at}`;
  const fix =
    'Make room, or choose another directory with EVIDENT_DATA. evident archive moves old records out.';
  if (free < TOO_LITTLE_BYTES) return fail('disk space', found, fix);
  return free < ENOUGH_BYTES ? warn('disk space', found, fix) : ok('disk space', found);
}

/** Tries what would keep apps and builds from the files of Evident, and of each other (F127). */
export function isolation(dir: string): Check {
  const name = 'isolation';
  if (process.getuid?.() === 0 && mayUseAppUsers('/')) return ok(name, 'each service gets a user of its own');
  const sandbox = process.getuid?.() === 0 ? null : workingSandbox([dir]);
  if (sandbox !== null) return ok(name, `apps and builds run in namespaces of their own (${sandbox.kind})`);
  return warn(
    name,
    'apps and builds run as you: they can read Evident’s files and each other’s',
    'Install bubblewrap (Debian: apt-get install bubblewrap), and let users make namespaces (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns). Or run Evident as root.',
  );
}

const TOOLS = [
  ['git', ['--version'], 'deployments then say nothing of their commit'],
  ['npm', ['--version'], 'apps in Node cannot be built here'],
  ['python3', ['--version'], 'apps in Python cannot be built here'],
  ['go', ['version'], 'apps in Go cannot be built here'],
] as const;

/** Looks for the tools that builds use. An app in another language does not need them. */
export function tools(): Promise<Check[]> {
  return Promise.all(
    TOOLS.map(async ([tool, args, without]) => {
      try {
        const { stdout } = await run(tool, [...args], { timeout: 10_000 });
        return ok(tool, /\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'there');
      } catch {
        return warn(tool, `not found on the PATH: ${without}`, `Install ${tool} if you need it.`);
      }
    }),
  );
}

/** Returns whether a process listens there. */
export function listens(host: string, port: number, timeoutMs = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

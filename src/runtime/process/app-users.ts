import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A user of the machine that only one service has: nobody else's processes and files are open to it. */
export interface AppUser {
  readonly uid: number;
  readonly gid: number;
}

interface Allotted {
  readonly first: number;
  readonly services: Readonly<Record<string, number>>;
}

const PER_PLACE = 4096;
/** Above what machines give to people and to containers, below what some programs take for negative. */
const [LOWEST, HIGHEST] = [1_000_000_000, 2_147_000_000];

/** A user such as services get, to try what they may. */
export const A_USER: AppUser = { uid: LOWEST, gid: LOWEST };

/**
 * The users of the services of one place (F127). They stand in no list of the machine: the kernel needs only numbers. A
 * service keeps its user, because the files of its instances belong to it.
 */
export class AppUsers {
  readonly #path: string;
  #allotted: Allotted;

  private constructor(path: string, allotted: Allotted) {
    this.#path = path;
    this.#allotted = allotted;
  }

  /** Creates nothing: whoever starts here has not found out yet whether `dir` can be. */
  static open(dir: string): AppUsers {
    const path = join(dir, 'users.json');
    try {
      return new AppUsers(path, JSON.parse(readFileSync(path, 'utf8')) as Allotted);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const first = LOWEST + randomInt(Math.floor((HIGHEST - LOWEST) / PER_PLACE)) * PER_PLACE;
    return new AppUsers(path, { first, services: {} });
  }

  of(service: string): AppUser {
    const { first, services } = this.#allotted;
    const index = services[service] ?? Object.keys(services).length;
    if (index >= PER_PLACE) throw new Error(`This place has users for ${PER_PLACE} services, and no more.`);
    if (services[service] === undefined) {
      this.#allotted = { first, services: { ...services, [service]: index } };
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writeFileSync(`${this.#path}.tmp`, JSON.stringify(this.#allotted), { mode: 0o600 });
      renameSync(`${this.#path}.tmp`, this.#path);
    }
    return { uid: first + index, gid: first + index };
  }
}

/**
 * Tries whether this machine lets us run apps as other users: only root may, a container may lack the numbers, and Node
 * or the directory of apps may lie where nobody else may go.
 */
export function mayUseAppUsers(apps: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const { status } = spawnSync(process.execPath, ['-e', 'process.chdir(process.argv[1])', apps], {
    ...{ ...A_USER, cwd: '/', stdio: 'ignore', env: {} },
  });
  return status === 0;
}

import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from './print-problem.ts';

/** Everything around a command that decides which server it calls. */
export interface CliSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly uid: number;
}

/** The data directory that a command uses, and the directories that were searched for one. */
interface DataPlace {
  readonly dir: string | null;
  readonly searched: readonly string[];
}

const FILES = ['server.json', 'admin-token'] as const;

/**
 * Finds the data directory: the named one, else the nearest `.evident` upwards, else the one at home. Folders
 * of other users are passed over: anybody may put one above a shared folder (F126).
 */
export function findDataPlace({ env, cwd, home, uid }: CliSurroundings): DataPlace {
  const named = env.EVIDENT_DATA;
  if (named !== undefined && named !== '') {
    const dir = resolve(cwd, named);
    if (existsSync(dir) && statSync(dir).uid !== uid)
      throw new UsageError(
        `${dir} belongs to another user, and no token is read from it. Run the command as that user, or name server and token with --server and --token.`,
      );
    return { dir: isDataDirectory(dir) ? dir : null, searched: [dir] };
  }
  const dirs = [...upwards(cwd).map((dir) => join(dir, '.evident')), join(home, '.evident')];
  const dir = dirs.find((dir) => isDataDirectory(dir) && statSync(dir).uid === uid) ?? null;
  // Only existing directories are worth naming to a person.
  const existing = dirs.filter((dir) => existsSync(dir));
  return { dir, searched: existing.length > 0 ? existing : dirs.slice(-1) };
}

const isDataDirectory = (dir: string) => FILES.some((file) => existsSync(join(dir, file)));

function upwards(from: string): string[] {
  const parent = dirname(from);
  return parent === from ? [from] : [from, ...upwards(parent)];
}

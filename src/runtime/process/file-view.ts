import { existsSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { delimiter, dirname, join, sep } from 'node:path';
import { machinePath } from '../../artifact/launcher.ts';

/**
 * The files that an app or a build sees. Everything else of the machine it sees as it is, and cannot write to. Paths are
 * real ones: nothing can be mounted through a link.
 */
export interface FileView {
  /** Covered by nothing: not even the names of what lies there are seen. */
  readonly hidden: readonly string[];
  /** Seen all the same, and not written. */
  readonly shown: readonly string[];
  /** Its own, also where they lie in a hidden directory. */
  readonly own: readonly string[];
  /** Seen in place of the directories for temporary files, which everybody else shares. */
  readonly tmp: string;
}

/**
 * The view of a program that may see these directories of its own, and none of Evident's. The home of Evident's user
 * holds keys and start files of that user, and /run the sockets by which that user is obeyed: both are hidden too.
 *
 * @param evident every directory in which Evident keeps something
 */
export function viewOf(evident: readonly string[], own: readonly string[], tmp: string): FileView {
  const kept = evident.flatMap(real);
  const hidden = outermost([...kept, ...[...homes(), '/run'].flatMap(real).filter((path) => path !== '/')]);
  const isHidden = (path: string) => hidden.some((root) => isWithin(root, path));
  const shown = outermost(
    needed().filter((path) => isHidden(path) && !kept.some((one) => isWithin(path, one))),
  );
  return {
    hidden,
    shown: shown.filter((path) => !hidden.includes(path)),
    own: own.flatMap(real),
    tmp: realpathSync(tmp),
  };
}

/** The home that the environment names may be another than the user's own. */
function homes(): readonly string[] {
  try {
    return [homedir(), userInfo().homedir];
  } catch {
    // A user that stands in no list.
    return [homedir()];
  }
}

/** The places of the tools that apps and builds are started with, and of the addresses of name servers. */
function needed(): readonly string[] {
  const programs = dirname(process.execPath);
  return [
    ...machinePath(process.env.PATH).split(delimiter),
    join(dirname(programs), 'lib', 'node_modules'),
    ...real('/etc/resolv.conf').map(dirname),
  ].flatMap(real);
}

export const temporaryPlaces = () => ['/tmp', '/var/tmp'].filter((path) => existsSync(path));

/** None if there is no such path. */
const real = (path: string): readonly string[] => (existsSync(path) ? [realpathSync(path)] : []);

const isWithin = (root: string, path: string) => path === root || path.startsWith(root + sep);

/** Without paths that lie in another of them. */
const outermost = (paths: readonly string[]) =>
  [...new Set(paths)].filter((path) => !paths.some((root) => root !== path && isWithin(root, path)));

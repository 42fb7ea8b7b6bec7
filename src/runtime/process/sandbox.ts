import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { machinePath } from '../../artifact/launcher.ts';
import { type FileView, temporaryPlaces } from './file-view.ts';
import { UNSHARE_SCRIPT, unshareWords } from './unshare.ts';

/** A program of this machine that starts others in namespaces of their own. */
export interface Sandbox {
  readonly kind: 'bwrap' | 'unshare';
  readonly path: string;
}

/** The words of a program, and the surroundings that it begins in. */
interface Enclosed {
  readonly words: readonly string[];
  readonly cwd: string;
  /** Null: it sees the files of the machine as they are, and only its processes are apart. */
  readonly view: FileView | null;
  /** The descriptor on which the pid of the first process is told, as `{"child-pid": N}`. */
  readonly infoFd?: number;
}

/** The programs that could do it, the better first: bubblewrap makes the whole machine read-only, whatever is mounted. */
export function sandboxesHere(path = machinePath(process.env.PATH)): readonly Sandbox[] {
  return (['bwrap', 'unshare'] as const).flatMap((kind) => {
    const found = path.split(delimiter).map((dir) => join(dir, kind));
    const first = found.find(isExecutable);
    return first === undefined ? [] : [{ kind, path: first }];
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The argv that runs a program in a PID namespace of its own. Its first process is an init: it reaps what daemons leave,
 * ends when the program ends, and its death, by the kernel, ends everything inside. It leads a session, so that signals
 * reach the program by its group and not what stands outside; it has no handlers itself, and the kernel spares it.
 *
 * Nothing here dies with the agent: apps outlive it.
 */
export function enclose(sandbox: Sandbox, enclosed: Enclosed): string[] {
  return sandbox.kind === 'bwrap' ? bwrap(sandbox.path, enclosed) : unshared(sandbox.path, enclosed);
}

function bwrap(path: string, { words, cwd, view, infoFd }: Enclosed): string[] {
  return [
    path,
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--new-session', '--cap-drop', 'ALL'],
    ...(view === null ? ['--dev-bind', '/', '/', '--proc', '/proc'] : viewed(view)),
    ...['--chdir', cwd],
    ...(infoFd === undefined ? [] : ['--info-fd', String(infoFd)]),
    '--',
    ...words,
  ];
}

function viewed({ hidden, shown, own, tmp }: FileView): string[] {
  return [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...temporaryPlaces().flatMap((path) => ['--bind', tmp, path]),
    ...hidden.flatMap((path) => ['--tmpfs', path]),
    ...shown.flatMap((path) => ['--ro-bind', path, path]),
    ...own.flatMap((path) => ['--bind', path, path]),
    // A file written beside one's own would be gone with the process, unsaid: refuse it.
    ...hidden.flatMap((path) => ['--remount-ro', path]),
  ];
}

function unshared(path: string, enclosed: Enclosed): string[] {
  return [
    path,
    ...['--user', '--map-root-user', '--mount', '--pid', '--ipc', '--fork', '--'],
    ...['/bin/sh', '-c', UNSHARE_SCRIPT, 'evident-sandbox', ...unshareWords(enclosed)],
  ];
}

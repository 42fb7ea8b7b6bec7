import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { APP_FOLDER, INSTALLED_PROGRAMS, LAUNCHER } from '../artifact/launcher.ts';
import { sitePackages } from './python-environment.ts';

/**
 * Puts a launcher into an app, so that its installed programs are found. A plan has no environment that could
 * say so.
 */
export async function addLauncher(dir: string, root: string): Promise<void> {
  const found = await sitePackages(join(dir, root));
  const python = found === null ? null : posix.join(root, found);
  const programs = [...new Set([root, '.'])]
    .flatMap((at) => INSTALLED_PROGRAMS.map((path) => posix.join(at, path)))
    .filter((path) => existsSync(join(dir, path)));
  if (python === null && programs.length === 0 && root === '.') return;
  await mkdir(dirname(join(dir, LAUNCHER)), { recursive: true });
  await writeFile(join(dir, LAUNCHER), script(programs, python, root), { mode: 0o755 });
  if (root !== '.') await writeFile(join(dir, APP_FOLDER), `${root}\n`);
}

/** The script passes its arguments on unread. */
function script(programs: readonly string[], python: string | null, root: string): string {
  const path = [...programs.map((at) => `$here/${quoted(at)}`), '$PATH'].join(':');
  return [
    '#!/bin/sh',
    '# Made by the builder of Evident: puts what was installed beside the app on the path, then becomes the app.',
    'here=$(cd "$(dirname "$0")/.." && pwd -P) || exit 127',
    `PATH="${path}"`,
    'export PATH',
    ...(python === null
      ? []
      : [`PYTHONPATH="$here/${quoted(python)}\${PYTHONPATH:+:$PYTHONPATH}"`, 'export PYTHONPATH']),
    ...(root === '.' ? [] : [`cd "$here/${quoted(root)}" || exit 127`]),
    'exec "$@"',
    '',
  ].join('\n');
}

/** For a place between double quotes: the name of a folder comes from outside. */
const quoted = (path: string) => path.replace(/["$`\\]/g, '\\$&');

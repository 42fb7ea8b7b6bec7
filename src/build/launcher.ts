import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { INSTALLED_PROGRAMS, LAUNCHER } from '../artifact/launcher.ts';
import { sitePackages } from './python-environment.ts';

/**
 * Puts a launcher into an app, so that its installed programs are found. A plan has no environment that could
 * say so.
 */
export async function addLauncher(dir: string): Promise<void> {
  const python = await sitePackages(dir);
  const programs = INSTALLED_PROGRAMS.filter((path) => existsSync(join(dir, path)));
  if (python === null && programs.length === 0) return;
  await mkdir(dirname(join(dir, LAUNCHER)), { recursive: true });
  await writeFile(join(dir, LAUNCHER), script(programs, python), { mode: 0o755 });
}

/** The script passes its arguments on unread. */
function script(programs: readonly string[], python: string | null): string {
  const path = [...programs.map((at) => `$here/${at}`), '$PATH'].join(':');
  return [
    '#!/bin/sh',
    '# Made by the builder of Evident: puts what was installed beside the app on the path, then becomes the app.',
    'here=$(cd "$(dirname "$0")/.." && pwd -P) || exit 127',
    `PATH="${path}"`,
    'export PATH',
    ...(python === null
      ? []
      : [`PYTHONPATH="$here/${python}\${PYTHONPATH:+:$PYTHONPATH}"`, 'export PYTHONPATH']),
    'exec "$@"',
    '',
  ].join('\n');
}

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BadCommandLine, commandWords } from '../contract/command-line.ts';
import { sitePackages } from './python-environment.ts';
import { BuildFailure, type CommandWords } from './recipe.ts';

const LAUNCHER = '.evident/run';

/**
 * A command that finds what the build installed, wherever the artifact lies. A plan has no environment, so that what
 * has to be on the path is put there by a program in the artifact, which then becomes the command. It is handed words
 * and looks into none of them.
 */
export async function launched(dir: string, command: CommandWords): Promise<CommandWords> {
  const python = await sitePackages(dir);
  const programs = [...(python === null ? [] : ['.venv/bin']), 'node_modules/.bin'].filter((path) =>
    existsSync(join(dir, path)),
  );
  if (python === null && !programs.some((path) => existsSync(join(dir, path, firstWord(command)))))
    return command;
  await mkdir(join(dir, '.evident'), { recursive: true });
  await writeFile(join(dir, LAUNCHER), script(programs, python), { mode: 0o755 });
  return typeof command === 'string' ? `./${LAUNCHER} ${command}` : [`./${LAUNCHER}`, ...command];
}

function firstWord(command: CommandWords): string {
  try {
    return (typeof command === 'string' ? commandWords(command, () => '') : command)[0] ?? '';
  } catch (error) {
    if (!(error instanceof BadCommandLine)) throw error;
    throw new BuildFailure('no_start_command', `The command cannot be split into words. ${error.message}`);
  }
}

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

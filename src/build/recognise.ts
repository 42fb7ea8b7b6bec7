import { dirname } from 'node:path';
import { BadCommandLine, commandWords } from '../contract/command-line.ts';
import { specSchema } from '../contract/intent.ts';
import type { FolderContents } from './folder-contents.ts';
import { go } from './languages/go.ts';
import { node } from './languages/node.ts';
import { python } from './languages/python.ts';
import { site } from './languages/site.ts';
import { processTypes } from './procfile.ts';
import { BuildFailure, type Part, type Port, type Recipe, type RecipeStep, type Start } from './recipe.ts';
import { type BuildSettings, settingsOf } from './settings.ts';

const LOOKED_FOR =
  'evident.yaml, Procfile, package.json, requirements.txt, pyproject.toml, go.mod, index.html, public/index.html';

/**
 * Decides the recipe for a folder: a pure function of the folder's contents and the spec. The spec wins over
 * the folder's own evident.yaml, that over a Procfile, that over a language. `top` is the source around the
 * folder, where the app is not at its top.
 */
export function recognise(
  contents: FolderContents,
  spec: BuildSettings,
  top: FolderContents | null = null,
): Recipe {
  const settings = settingsOf(contents, spec);
  const parts = [node, python, go, site].flatMap((language) => language(contents, top) ?? []);
  const chosen = chosenStart(contents, settings);
  const start = chosen?.start ?? parts.find((part) => part.start !== null)?.start ?? null;
  if (start === null) throw nothingToStart(contents, settings, parts);
  const env = plainOf(settings);
  const builds = buildsOf(settings, parts, env);
  return {
    what: [...(chosen === null ? [] : [chosen.what]), ...relevant(parts, start).map(({ what }) => what)],
    notes: settings.notes,
    installs: parts.flatMap((part) => part.installs),
    builds,
    start,
    port: portOf(settings, chosen?.type ?? 'web'),
    env,
  };
}

/** A page beside a program belongs to the program, so it does not make the folder a site. */
const relevant = (parts: readonly Part[], start: Start) =>
  parts.filter((part) => part.start?.kind !== 'site' || part.start === start);

function chosenStart(
  contents: FolderContents,
  { command, procfile }: BuildSettings,
): { start: Start; type: string; what: string } | null {
  if (command !== undefined)
    return { start: { kind: 'command', command }, type: procfile ?? 'web', what: 'the command of the spec' };
  const text = contents.text('Procfile');
  const types = processTypes(text ?? '');
  const only = types.size === 1 ? [...types.keys()][0] : undefined;
  // The spec's default is `web`, so `web` does not mean that somebody requested it.
  const requested = procfile === 'web' ? undefined : procfile;
  const type = requested ?? (types.has('web') ? 'web' : only);
  if (type === undefined) return null;
  const line = types.get(type);
  if (line === undefined)
    throw new BuildFailure(
      'no_start_command',
      text === null
        ? `The process type "${type}" is asked for, but there is no Procfile.`
        : `The Procfile has no process type "${type}"; it has ${[...types.keys()].join(', ') || 'none'}.`,
    );
  const read = specSchema.shape.command.safeParse(line);
  if (!read.success)
    throw new BuildFailure(
      'no_start_command',
      `The line "${type}" of the Procfile ${read.error.issues[0]?.message}.`,
    );
  return { start: { kind: 'command', command: line }, type, what: `Procfile (${type})` };
}

/** `build` replaces the language's build steps. The install stays, because the build needs it. */
function buildsOf(
  { build }: BuildSettings,
  parts: readonly Part[],
  env: Readonly<Record<string, string>>,
): readonly RecipeStep[] {
  if (build === undefined) return parts.flatMap((part) => part.builds);
  if (build === false) return [];
  const commands = typeof build === 'string' ? [split(build, env)] : several(build);
  return commands.map((argv) => ({ name: argv.join(' '), argv, failure: 'build_command_failed' }));
}

function split(line: string, env: Readonly<Record<string, string>>): string[] {
  try {
    return commandWords(line, (name) => env[name] ?? '');
  } catch (error) {
    if (!(error instanceof BadCommandLine)) throw error;
    throw new BuildFailure('build_command_failed', `\`build\` cannot be split into words. ${error.message}`);
  }
}

function several(build: readonly string[] | readonly (readonly string[])[]): (readonly string[])[] {
  return build.every((word) => typeof word === 'string')
    ? [build]
    : [...(build as readonly (readonly string[])[])];
}

function portOf({ port }: BuildSettings, type: string): Port {
  if (typeof port === 'number' || port === null) return port;
  return type === 'web' ? 'auto' : null;
}

function plainOf({ env = {} }: BuildSettings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

function nothingToStart(
  contents: FolderContents,
  { build }: BuildSettings,
  parts: readonly Part[],
): BuildFailure {
  const there = [...new Set([...contents.files].map((file) => file.split('/')[0] ?? ''))].sort();
  const listed = `${there.slice(0, 20).join(', ')}${there.length > 20 ? `, and ${there.length - 20} more` : ''}`;
  if (parts.length === 0 && build === undefined && !contents.files.has('Procfile'))
    return new BuildFailure(
      'not_recognised',
      `Nothing that is known is at the top of the source. Looked for: ${LOOKED_FOR}. Found: ${listed}.`,
    );
  const what = parts.map((part) => part.what).join(', ');
  return new BuildFailure(
    'no_start_command',
    `It is ${what === '' ? 'not said what it is' : what}, but nothing says how to start it: no \`command\`, no Procfile with one process type or with "web", no start script, server.js, main.py, app.py or server.py. ${startsBelow(contents)}Found: ${listed}.`,
  );
}

/** Names the folders below that could be started: of a workspace nearly always one of its packages is meant. */
function startsBelow(contents: FolderContents): string {
  const roots = [...contents.files]
    .filter((file) => file.endsWith('/package.json') && /"start"\s*:/.test(contents.text(file) ?? ''))
    .map((file) => dirname(file))
    .sort();
  if (roots.length === 0) return '';
  return `A start script is in ${roots.slice(0, 5).join(', ')}: name the folder that you mean, as in \`evident deploy --root ${roots[0]}\`. `;
}

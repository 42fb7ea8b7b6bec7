import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { type DependencyCache, dependencyKey } from './dependency-cache.ts';
import { buildEnvironment } from './environment.ts';
import { readFolderContents } from './folder-contents.ts';
import { VENV } from './languages/python.ts';
import { addLauncher } from './launcher.ts';
import { PackageManagers, TOOLS, withFetchedTools } from './package-manager.ts';
import { makeMovable } from './python-environment.ts';
import { BuildFailure, type CommandWords, type Install, type Recipe } from './recipe.ts';
import { recognise } from './recognise.ts';
import { type LogSink, runStep, type StepContext } from './run-step.ts';
import type { BuildSettings } from './settings.ts';
import { builtRoot, keepOnlySite, servedSite } from './site.ts';
import type { StepContainer } from './step-container.ts';

/**
 * Version of the builder. Grows with every change that makes another artifact of the same source, so that
 * sources are built again.
 */
export const BUILDER = '3';

/**
 * Port of an app that listens wherever `PORT` says. A runtime that gives each instance its own network sets
 * `PORT` to this; another runtime gives each instance a port of its own.
 */
const ANY_PORT = 8080;

export interface BuildPlan {
  readonly command: CommandWords;
  readonly port: number | null;
}

interface BuildOrder {
  /** The unpacked source. The build turns it into the artifact. */
  readonly dir: string;
  /** Home directory of this build alone. Its processes are found by it. */
  readonly home: string;
  readonly spec: BuildSettings;
  readonly cache: DependencyCache;
  /** Environment variables for caches that their tools keep consistent themselves: GOCACHE and the like. */
  readonly toolCaches: Readonly<Record<string, string>>;
  readonly own: NodeJS.ProcessEnv;
  /** The user that its programs run as, if not the builder's own; `give` makes files theirs. */
  readonly user?: { readonly uid: number; readonly gid: number; give(path: string): Promise<void> };
  /** Holds together what each step starts; if none is given, only what can be found is ended. */
  readonly container?: StepContainer;
  readonly pass: readonly string[];
  readonly log: LogSink;
  readonly signal: AbortSignal;
  /** Called before each step with the number of steps. */
  readonly onStep: (step: number, total: number, message: string) => void;
}

/**
 * Builds a folder in place and returns how to start it. Every process that the build started has ended when
 * it returns or throws.
 */
export async function build(order: BuildOrder): Promise<BuildPlan> {
  const { dir, home, log, signal, own, pass, toolCaches, user, container } = order;
  const root = order.spec.root === undefined ? '.' : posix.normalize(order.spec.root);
  const app = join(dir, root);
  if (!existsSync(app)) throw new BuildFailure('source_invalid', `No folder ${root} in the source.`);
  const recipe =
    root === '.'
      ? recognise(readFolderContents(dir), order.spec)
      : recognise(readFolderContents(app), order.spec, readFolderContents(dir));
  log.push(`This is ${recipe.what.join(', ')}.`);
  for (const note of recipe.notes) log.push(note);
  for (const folder of ['tmp', TOOLS]) await mkdir(join(home, folder), { recursive: true });
  await user?.give(home);
  const env = withFetchedTools(buildEnvironment({ home, own, pass, caches: toolCaches, spec: recipe.env }));
  const around: StepContext = {
    ...{ dir: app, env, log, signal },
    ...(user && { user: { uid: user.uid, gid: user.gid } }),
    ...(container && { container }),
  };
  const managers = new PackageManagers(around);
  const total = recipe.installs.length + recipe.builds.length;
  let step = 0;
  for (const install of recipe.installs) {
    order.onStep(++step, total, install.steps.map(({ name }) => name).join(', '));
    await installed(order, install.atTop ? { ...around, dir } : around, install, managers);
  }
  for (const program of recipe.builds) {
    order.onStep(++step, total, program.name);
    log.push(`$ ${program.argv.join(' ')}${program.dir === undefined ? '' : `   (in ${program.dir})`}`);
    await managers.provideFor(program);
    await runStep(program, program.dir === undefined ? around : { ...around, dir: join(dir, program.dir) });
  }
  signal.throwIfAborted();
  return {
    command: await startOf(dir, root, recipe, log),
    port: recipe.port === 'auto' ? ANY_PORT : recipe.port,
  };
}

async function installed(
  order: BuildOrder,
  around: StepContext,
  install: Install,
  managers: PackageManagers,
): Promise<void> {
  const { cache, log, signal } = order;
  const { dir } = around;
  const argv = install.steps.map((step) => step.argv);
  const key = install.cache === null ? null : dependencyKey(dir, install.cache, argv);
  const folder = join(dir, install.cache?.folder ?? '');
  // Removes dependencies that came with the source: they were installed elsewhere, perhaps for another lock
  // file.
  if (install.cache !== null) await rm(folder, { recursive: true, force: true });
  if (key !== null && (await cache.restore(key, folder, signal))) {
    await order.user?.give(folder);
    log.push(
      `${install.cache?.keys.join(', ')} as before: ${install.cache?.folder} is taken from the last install.`,
    );
    return;
  }
  for (const step of install.steps) {
    await managers.provideFor(step);
    log.push(`$ ${step.argv.join(' ')}`);
    await runStep(step, around);
  }
  if (install.steps.some((step) => step.argv.includes(VENV))) {
    await refuseLinks(dir, VENV);
    await makeMovable(dir);
  }
  if (key !== null) await cache.keep(key, folder, signal).catch((error: Error) => log.push(notKept(error)));
}

/**
 * The builder writes into this folder itself, perhaps as another user than the build: a link that the build has put there
 * would lead its hand elsewhere (F127).
 */
async function refuseLinks(dir: string, folder: string): Promise<void> {
  const entries = await readdir(join(dir, folder), { withFileTypes: true, recursive: true }).catch(() => []);
  const itself = await lstat(join(dir, folder)).catch(() => null);
  const link = entries.find((entry) => entry.isSymbolicLink() && !/^(python|lib64)/.test(entry.name));
  if (itself?.isSymbolicLink() || link !== undefined)
    throw new BuildFailure(
      'build_failed',
      `The build has left a link in ${folder}, where the builder writes.`,
    );
}

/** A cache that cannot be written makes the next build slower, and this one no worse. */
const notKept = (error: Error) => `The dependencies could not be kept for the next build: ${error.message}`;

async function startOf(dir: string, root: string, { start }: Recipe, log: LogSink): Promise<CommandWords> {
  await refuseLinks(dir, '.evident');
  switch (start.kind) {
    case 'command':
      await addLauncher(dir, root);
      return start.command;
    case 'site':
      return servedSite(dir, posix.join(root, start.root));
    case 'built_site': {
      const site = posix.join(root, builtRoot(join(dir, root), start.roots));
      if (await keepOnlySite(dir, site)) log.push(`Only ${site} is kept: nothing else of it is served.`);
      return servedSite(dir, site);
    }
  }
}

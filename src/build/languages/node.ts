import type { FolderContents } from '../folder-contents.ts';
import { BuildFailure, type Install, type Part, type RecipeStep, type Start } from '../recipe.ts';

interface Manifest {
  readonly name: string;
  /** The names of all packages that it depends on, whatever for. */
  readonly dependencies: readonly string[];
  readonly isWorkspace: boolean;
  readonly scripts: Readonly<Record<string, unknown>>;
  readonly hasDependencies: boolean;
  /** The install runs scripts of the app itself, so its result depends on more than the lock file. */
  readonly hasHooks: boolean;
  readonly packageManager: string;
}

type Tool = 'npm' | 'pnpm' | 'yarn';

const LOCKS: readonly (readonly [string, Tool])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
];
const HOOKS = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];
const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies'];
/** Folders in which the common tools leave the site they build. */
const SITES = ['dist', 'build', 'out', '_site', 'public'];

/**
 * `package.json`: installs by its lock file, runs the `build` script, starts by the `start` script. A package of a
 * workspace is installed by the workspace's lock file, at its top.
 */
export function node(contents: FolderContents, top: FolderContents | null = null): Part | null {
  const text = contents.text('package.json');
  if (text === null) return null;
  const manifest = read(text);
  const workspace = top === null || !isWorkspace(top) ? null : top;
  const place = workspace ?? contents;
  const [lock, tool] = lockOf(place, read(place.text('package.json') ?? '{}'));
  const own = buildOf(manifest, tool);
  const install = installBy(place, manifest, tool, lock);
  const installs =
    workspace !== null
      ? [{ ...install, cache: null, atTop: true as const }]
      : manifest.hasDependencies || manifest.hasHooks
        ? [install]
        : [];
  return {
    what: `Node (package.json${lock === null ? '' : `, ${lock}`}${workspace === null ? '' : ' of the workspace'})`,
    installs,
    builds: [...(workspace === null ? [] : neededBuilds(manifest, workspace, tool)), ...own],
    start: startOf(contents, manifest, own.length > 0),
  };
}

const buildOf = ({ scripts }: Manifest, tool: Tool): RecipeStep[] =>
  typeof scripts.build === 'string'
    ? [{ name: `${tool} run build`, argv: [tool, 'run', 'build'], failure: 'build_command_failed' }]
    : [];

const isWorkspace = (top: FolderContents) =>
  top.files.has('pnpm-workspace.yaml') || read(top.text('package.json') ?? '{}').isWorkspace;

/** The builds of the workspace's packages that an app depends on, directly or not, each after those that it needs. */
function neededBuilds(app: Manifest, top: FolderContents, tool: Tool): RecipeStep[] {
  const packages = new Map(
    [...top.files].flatMap((file) => {
      const dir = /^(.+)\/package\.json$/.exec(file)?.[1];
      const manifest = dir === undefined ? null : read(top.text(file) ?? '{}');
      return dir === undefined || manifest === null || manifest.name === ''
        ? []
        : [[manifest.name, { dir, manifest }]];
    }),
  );
  const seen = new Set([app.name]);
  const needs = ({ dependencies }: Manifest): RecipeStep[] =>
    dependencies.flatMap((name) => {
      const found = packages.get(name);
      if (found === undefined || seen.has(name)) return [];
      seen.add(name);
      const { dir, manifest } = found;
      const own = buildOf(manifest, tool).map((step) => ({ ...step, name: `${step.name} (${dir})`, dir }));
      return [...needs(manifest), ...own];
    });
  return needs(app);
}

function read(text: string): Manifest {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new BuildFailure('source_invalid', `package.json is not JSON: ${(error as Error).message}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new BuildFailure('source_invalid', 'package.json is no object.');
  const manifest = parsed as Record<string, unknown>;
  const object = (key: string) => {
    const value = manifest[key];
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  };
  const some = (key: string) => Object.keys(object(key)).length > 0;
  const scripts = object('scripts');
  const hasWorkspaces =
    some('workspaces') || (typeof manifest.workspaces === 'string' && manifest.workspaces !== '');
  return {
    name: typeof manifest.name === 'string' ? manifest.name : '',
    dependencies: KINDS.flatMap((kind) => Object.keys(object(kind))),
    isWorkspace: hasWorkspaces,
    scripts,
    hasDependencies: KINDS.some(some) || hasWorkspaces,
    hasHooks: some('workspaces') || HOOKS.some((name) => name in scripts),
    packageManager: typeof manifest.packageManager === 'string' ? manifest.packageManager : '',
  };
}

function lockOf({ files }: FolderContents, { packageManager }: Manifest): [string | null, Tool] {
  const found = LOCKS.find(([file]) => files.has(file));
  if (found !== undefined) return [...found];
  const named = /^(pnpm|yarn)@/.exec(packageManager)?.[1] as Tool | undefined;
  return [null, named ?? 'npm'];
}

function installBy(contents: FolderContents, manifest: Manifest, tool: Tool, lock: string | null): Install {
  const argv = installArguments(contents, tool, lock);
  const step: RecipeStep = { name: argv.slice(0, 2).join(' '), argv, failure: 'dependencies_failed' };
  const cacheable = lock !== null && !manifest.hasHooks && !contents.files.has('.pnp.cjs');
  return {
    steps: [step],
    cache: cacheable
      ? { folder: 'node_modules', keys: ['package.json', lock, '.npmrc', '.yarnrc.yml'] }
      : null,
  };
}

/** Installs development dependencies too, whatever NODE_ENV says: builds often need them. */
function installArguments(contents: FolderContents, tool: Tool, lock: string | null): string[] {
  if (tool === 'npm')
    return ['npm', lock === null ? 'install' : 'ci', '--include=dev', '--no-audit', '--no-fund'];
  if (tool === 'pnpm')
    return ['pnpm', 'install', ...(lock === null ? [] : ['--frozen-lockfile']), '--prod=false'];
  const berry = contents.files.has('.yarnrc.yml') || /^__metadata:/m.test(contents.text('yarn.lock') ?? '');
  if (lock === null) return ['yarn', 'install'];
  return ['yarn', 'install', ...(berry ? ['--immutable'] : ['--frozen-lockfile', '--production=false'])];
}

/**
 * A start script of the plain form `node …` is run directly: signals and exit codes are then the app's own,
 * and no package manager stays in memory beside it. npm runs any other script.
 */
function startOf({ files }: FolderContents, { scripts }: Manifest, builds: boolean): Start | null {
  const { start } = scripts;
  if (typeof start === 'string' && start.trim() !== '') {
    const plain =
      /^node(?:\s+[\w@%+=:,./-]+)+$/.test(start.trim()) && !scripts.prestart && !scripts.poststart;
    return { kind: 'command', command: plain ? start.trim().split(/\s+/) : ['npm', 'start'] };
  }
  if (files.has('server.js')) return { kind: 'command', command: ['node', 'server.js'] };
  return builds ? { kind: 'built_site', roots: SITES } : null;
}

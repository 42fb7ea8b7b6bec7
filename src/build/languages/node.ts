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
  const manager = managerOf(place, read(place.text('package.json') ?? '{}'), tool);
  const own = buildOf(manifest, tool, manager);
  const install = installBy(place, manifest, { tool, lock, manager });
  const installs =
    workspace !== null
      ? [{ ...install, cache: null, atTop: true as const }]
      : manifest.hasDependencies || manifest.hasHooks
        ? [install]
        : [];
  return {
    what: `Node (package.json${lock === null ? '' : `, ${lock}`}${workspace === null ? '' : ' of the workspace'})`,
    installs,
    builds: [...(workspace === null ? [] : neededBuilds(manifest, workspace, tool, manager)), ...own],
    start: startOf(contents, manifest, own.length > 0),
  };
}

const buildOf = ({ scripts }: Manifest, tool: Tool, manager: Manager): RecipeStep[] =>
  typeof scripts.build === 'string'
    ? [
        {
          name: `${tool} run build`,
          argv: [tool, 'run', 'build'],
          failure: 'build_command_failed',
          ...manager,
        },
      ]
    : [];

/** The package manager that its steps need; none for npm, which comes with Node. */
type Manager = Pick<RecipeStep, 'tool'>;

function managerOf(place: FolderContents, { packageManager }: Manifest, tool: Tool): Manager {
  if (tool === 'npm') return {};
  const pinned = new RegExp(`^${tool}@(\\d+\\.\\d+\\.\\d+[\\w.-]*)`).exec(packageManager)?.[1];
  const isPinned = pinned !== undefined;
  if (tool === 'pnpm') {
    const written = /^lockfileVersion: '?(\d+)/m.exec(place.text('pnpm-lock.yaml') ?? '')?.[1];
    return { tool: { package: `pnpm@${pinned ?? (written === '6' ? '8' : '10')}`, isPinned } };
  }
  // From version 2 on the package `yarn` is only the way to another one.
  if (pinned === undefined ? !isBerry(place) : pinned.startsWith('1.'))
    return { tool: { package: `yarn@${pinned ?? '1'}`, isPinned } };
  return { tool: { package: `@yarnpkg/cli-dist@${pinned ?? '4'}`, isPinned: true } };
}

/** Version 2 or later. */
const isNewYarn = ({ tool }: Manager) => tool?.package.startsWith('@yarnpkg/') ?? false;

const isBerry = (place: FolderContents) =>
  place.files.has('.yarnrc.yml') || /^__metadata:/m.test(place.text('yarn.lock') ?? '');

const isWorkspace = (top: FolderContents) =>
  top.files.has('pnpm-workspace.yaml') || read(top.text('package.json') ?? '{}').isWorkspace;

/** The builds of the workspace's packages that an app depends on, directly or not, each after those that it needs. */
function neededBuilds(app: Manifest, top: FolderContents, tool: Tool, manager: Manager): RecipeStep[] {
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
      const own = buildOf(manifest, tool, manager).map((step) => ({
        ...step,
        name: `${step.name} (${dir})`,
        dir,
      }));
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

function installBy(
  contents: FolderContents,
  manifest: Manifest,
  { tool, lock, manager }: { readonly tool: Tool; readonly lock: string | null; readonly manager: Manager },
): Install {
  const argv = installArguments(tool, lock, isNewYarn(manager));
  const name = argv.slice(0, 2).join(' ');
  const step: RecipeStep = { name, argv, failure: 'dependencies_failed', ...manager };
  const cacheable = lock !== null && !manifest.hasHooks && !contents.files.has('.pnp.cjs');
  return {
    steps: [step],
    cache: cacheable
      ? { folder: 'node_modules', keys: ['package.json', lock, '.npmrc', '.yarnrc.yml'] }
      : null,
  };
}

/** Installs development dependencies too, whatever NODE_ENV says: builds often need them. */
function installArguments(tool: Tool, lock: string | null, isNew: boolean): string[] {
  if (tool === 'npm')
    return ['npm', lock === null ? 'install' : 'ci', '--include=dev', '--no-audit', '--no-fund'];
  if (tool === 'pnpm')
    return ['pnpm', 'install', ...(lock === null ? [] : ['--frozen-lockfile']), '--prod=false'];
  // Without a lock file one is made, which a new yarn refuses where it is not told to.
  if (lock === null) return ['yarn', 'install', ...(isNew ? ['--no-immutable'] : [])];
  return ['yarn', 'install', ...(isNew ? ['--immutable'] : ['--frozen-lockfile', '--production=false'])];
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

import type { FolderContents } from '../folder-contents.ts';
import { BuildFailure, type Install, type Part, type RecipeStep, type Start } from '../recipe.ts';

interface Manifest {
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
/** Folders in which the common tools leave the site they build. */
const SITES = ['dist', 'build', 'out', '_site', 'public'];

/** `package.json`: installs by its lock file, runs the `build` script, starts by the `start` script. */
export function node(contents: FolderContents): Part | null {
  const text = contents.text('package.json');
  if (text === null) return null;
  const manifest = read(text);
  const [lock, tool] = lockOf(contents, manifest);
  const builds: RecipeStep[] =
    typeof manifest.scripts.build === 'string'
      ? [{ name: `${tool} run build`, argv: [tool, 'run', 'build'], failure: 'build_command_failed' }]
      : [];
  return {
    what: `Node (package.json${lock === null ? '' : `, ${lock}`})`,
    installs:
      manifest.hasDependencies || manifest.hasHooks ? [installBy(contents, manifest, tool, lock)] : [],
    builds,
    start: startOf(contents, manifest, builds.length > 0),
  };
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
  return {
    scripts,
    hasDependencies:
      ['dependencies', 'devDependencies', 'optionalDependencies', 'workspaces'].some(some) ||
      (typeof manifest.workspaces === 'string' && manifest.workspaces !== ''),
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

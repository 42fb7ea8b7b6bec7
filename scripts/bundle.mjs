// Bundles one of our programs into dist/NAME.js.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './root.mjs';

const DIST = join(ROOT, 'dist');
/**
 * Packages that stay outside of `evident`: native code, and a client of which little is loaded. All others go in, since
 * finding and reading some hundred small files was two fifths of a server's start.
 */
const OUTSIDE = ['libsql', 'pg-native', '@kubernetes/client-node'];
/** Packages in CommonJS require Node's own modules, which a module has no function for. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";
const WEB_PAGE = join(DIST, 'web', 'index.html');

/** @param {string} name */
export function entryOf(name) {
  return join(ROOT, name === 'evident' ? 'src/cli' : name, 'main.ts');
}

/** @param {string} name */
export async function bundleIfStale(name) {
  if (!isFresh(name)) await bundle(name);
  if (name === 'evident') await bundleWebIfStale();
  return join(DIST, `${name}.js`);
}

export async function bundleWebIfStale() {
  if (!isWebFresh()) await bundleWeb();
}

/** The web UI, into dist/web, from where the server serves it. */
export async function bundleWeb() {
  const { build } = await import('vite');
  const startedAt = new Date();
  // A test run sets another mode, in which Vite builds development pages; people get these.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  await build({ configFile: join(ROOT, 'web', 'vite.config.ts'), logLevel: 'warn' });
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
  utimesSync(WEB_PAGE, startedAt, startedAt);
}

function isWebFresh() {
  const built = statSync(WEB_PAGE, { throwIfNoEntry: false });
  const sources = ['package.json', 'web', 'src/contract'].map((path) => join(ROOT, path));
  return built !== undefined && sources.every((path) => newestIn(path) < built.mtimeMs);
}

/** @param {string} name */
export async function bundle(name) {
  const { build } = await import('esbuild');
  const startedAt = new Date();
  const { outputFiles } = await build({
    entryPoints: { [name]: entryOf(name) },
    outdir: DIST,
    bundle: true,
    // The others run here alone, beside the tools that they load.
    ...(name === 'evident' ? { external: OUTSIDE, banner: { js: REQUIRE } } : { packages: 'external' }),
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: 'linked',
    // A stack trace needs lines alone, and Node reads every map when it loads a chunk.
    sourcesContent: false,
    // `await import()` stays lazy, so `evident version` does not load what only `evident server` needs.
    splitting: true,
    chunkNames: `${name}-[hash]`,
    write: false,
    logLevel: 'warning',
    absWorkingDir: ROOT,
  });

  mkdirSync(DIST, { recursive: true });
  // The entry goes last, and by rename: whoever starts it meanwhile gets the old program or the new one, whole.
  const entryLast = outputFiles.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)));
  for (const { path, contents } of entryLast) {
    writeFileSync(`${path}.${process.pid}`, contents);
    // Dated by the start of the build, so that an edit made during the build counts as newer.
    utimesSync(`${path}.${process.pid}`, startedAt, startedAt);
    renameSync(`${path}.${process.pid}`, path);
  }
  const written = new Set(outputFiles.map(({ path }) => basename(path)));
  for (const file of readdirSync(DIST)) {
    if (isOldChunk(name, file) && !written.has(file)) rmSync(join(DIST, file), { force: true });
  }

  /** @param {string} path */
  function isEntry(path) {
    return basename(path) === `${name}.js`;
  }
}

/**
 * A chunk of an earlier build. A file that another process is about to rename ends in its process number and is none:
 * two steps of `npm run check` may bundle the same program at once. @param {string} name @param {string} file
 */
export function isOldChunk(name, file) {
  return file.startsWith(`${name}-`) && /\.js(?:\.map)?$/.test(file);
}

/** @param {string} name */
function isFresh(name) {
  const built = statSync(join(DIST, `${name}.js`), { throwIfNoEntry: false });
  if (built === undefined) return false;
  const folders = ['src', 'lab', ...(name === 'evident' ? [] : [name])].map((folder) => join(ROOT, folder));
  const sources = [join(ROOT, 'package.json'), import.meta.filename, ...folders];
  return sources.every((path) => newestIn(path) < built.mtimeMs);
}

/** Directories count too: removing a file changes only them. @param {string} path @returns {number} */
function newestIn(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}

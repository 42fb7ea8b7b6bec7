// Makes node_modules match package-lock.json. Silent when it does. Plain Node without dependencies, since it
// runs before there are any; every other script calls it first.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './root.mjs';
import { run } from './run-child.mjs';

export async function setUp() {
  refuseOldNode();
  const reason = whyInstall();
  if (reason === undefined) return;

  console.log(`Installing dependencies with \`npm ci\`: ${reason}. This takes some seconds and the network.`);
  const startedAt = performance.now();
  const elapsed = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  const progress = setInterval(() => console.log(`  … still installing, ${elapsed()}`), 5000);
  const code = await run('npm', ['ci', '--no-audit', '--no-fund']);
  clearInterval(progress);
  if (code !== 0) {
    console.error(`\`npm ci\` failed after ${elapsed()}; its message above says why.`);
    process.exit(1);
  }
  console.log(`✓ dependencies installed in ${elapsed()}`);
}

function refuseOldNode() {
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  console.error(`evident needs Node ${wanted} or later; this is ${process.versions.node}.`);
  process.exit(1);
}

/**
 * Compares what the lock wants with what npm wrote down after its last install. Content, not only dates: a
 * checkout renews the date without a change, and `npm ci --omit=dev` renews it without the tools.
 */
function whyInstall() {
  const installed = packagesOf('node_modules/.package-lock.json');
  if (installed === undefined) return 'node_modules is missing or incomplete';
  for (const [path, wanted] of Object.entries(packagesOf('package-lock.json') ?? {})) {
    if (path === '' || wanted.optional) continue;
    if (installed[path]?.version !== wanted.version)
      return `node_modules does not match package-lock.json (${path})`;
    if (!existsSync(join(ROOT, path, 'package.json'))) return `${path} is missing`;
  }
  return undefined;
}

/** @param {string} file @returns {Record<string, { version: string, optional?: boolean }> | undefined} */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setUp();

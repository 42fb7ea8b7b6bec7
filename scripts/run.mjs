// `node scripts/run.mjs NAME ...args` runs <NAME>/main.ts (evident: src/cli/main.ts), bundled first: much faster to start and to run
// than transpiling on the fly, with stack traces that still name our lines.
import { bundleIfStale } from './bundle.mjs';
import { run } from './run-child.mjs';
import { setUp } from './setup.mjs';

const [name, ...args] = process.argv.slice(2);
if (name === undefined) {
  console.error('usage: node scripts/run.mjs NAME [args]   (NAME is evident, sim, bench or soak)');
  process.exit(2);
}
await setUp();
process.exitCode = await run(process.execPath, ['--enable-source-maps', await bundleIfStale(name), ...args]);

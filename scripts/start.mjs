import { bundleIfStale } from './bundle.mjs';
import { run } from './run-child.mjs';
import { setUp } from './setup.mjs';

await setUp();
await bundleIfStale('evident');
process.exitCode = await run('./bin/evident', [
  'up',
  '--example',
  '--data',
  '.evident',
  ...process.argv.slice(2),
]);

import { bundleIfStale } from './bundle.mjs';
import { run } from './run-child.mjs';
import { setUp } from './setup.mjs';

await setUp();
await bundleIfStale('evident');
process.exitCode = await run('./bin/evident', ['story', '--data', '.evident', ...process.argv.slice(2)]);

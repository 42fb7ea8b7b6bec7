// `npm test`: one word checks everything. Arguments go to vitest: `npm test -- src/store`.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryOf } from './bundle.mjs';
import { run } from './run-child.mjs';
import { setUp } from './setup.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'evident-test-'));
const countsFile = join(scratch, 'counts.json');
const withCounts = { ...process.env, EVIDENT_TEST_COUNTS: countsFile };
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--allowOnly=false', ...process.argv.slice(2)];

await setUp();
// A failed step does not hide the next one: whoever waits for a run sees all of it.
const checked = await step('check', () => run(process.execPath, ['scripts/check.mjs']));
// After the tests and not beside them: tests of processes and clusters have real deadlines, and missed some of them.
const tested = await step('tests', () => run(process.execPath, vitest, withCounts));
const simulated =
  !existsSync(entryOf('sim')) ||
  (await step('simulator', () => run(process.execPath, ['scripts/run.mjs', 'sim', '--ci'])));

const counts = readCounts();
rmSync(scratch, { recursive: true });
// A failure that is not a test's (check, simulator, vitest itself) is still a failure in the closing line.
const failed = counts.failed + Number(!checked) + Number(!simulated) + Number(!tested && counts.failed === 0);
process.exitCode = failed === 0 ? 0 : 1;
// Said again at the end: of a long run a reader may have nothing but the end.
for (const failure of counts.failures) console.log(`failed: ${failure}`);
if (!checked) console.log('failed: npm run check');
if (!simulated) console.log('failed: npm run sim -- --ci');
console.log(`\n${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped`);

/** @param {string} name @param {() => Promise<number>} work */
async function step(name, work) {
  console.log(`\n── ${name}`);
  const startedAt = performance.now();
  const code = await work();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`── ${name} ${code === 0 ? 'passed' : 'FAILED'} (${seconds} s)`);
  return code === 0;
}

/** @returns {{ passed: number, failed: number, skipped: number, failures: readonly string[] }} */
function readCounts() {
  // No file: vitest did not come as far as its end. Its exit code says so above.
  if (!existsSync(countsFile)) return { passed: 0, failed: 0, skipped: 0, failures: [] };
  return JSON.parse(readFileSync(countsFile, 'utf8'));
}

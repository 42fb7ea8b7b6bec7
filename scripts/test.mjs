// `npm test`: one word checks everything. Arguments go to vitest: `npm test -- src/store`.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryOf } from './bundle.mjs';
import { run, runQuietly } from './run-child.mjs';
import { setUp } from './setup.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'evident-test-'));
const countsFile = join(scratch, 'counts.json');
const withCounts = { ...process.env, EVIDENT_TEST_COUNTS: countsFile };
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--allowOnly=false', ...process.argv.slice(2)];

await setUp();
// A failed step does not hide the next one: whoever waits for a run sees all of it.
const checked = await step('check', () => run(process.execPath, ['scripts/check.mjs']));
// Tests wait half of their time for processes and commits. The simulator never waits, and at the lowest priority it
// takes the cores only then: one after the other lasts three minutes longer.
const simulating = existsSync(entryOf('sim')) ? runBeside('scripts/run.mjs', 'sim', '--ci') : null;
const tested = await step('tests', () => run(process.execPath, vitest, withCounts));
const simulated = simulating === null || (await step('simulator', () => tellWhenDone(simulating)));

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

/** Its output is kept, so that two steps do not talk at once. @param {readonly string[]} args */
async function runBeside(...args) {
  const startedAt = performance.now();
  const done = await runQuietly('nice', ['-n', '19', process.execPath, ...args]);
  return { ...done, seconds: Math.round((performance.now() - startedAt) / 1000) };
}

/** @param {ReturnType<typeof runBeside>} running */
async function tellWhenDone(running) {
  const { code, output, seconds } = await running;
  console.log(`${output}ran ${seconds} s beside the tests`);
  return code;
}

/** @returns {{ passed: number, failed: number, skipped: number, failures: readonly string[] }} */
function readCounts() {
  // No file: vitest did not come as far as its end. Its exit code says so above.
  if (!existsSync(countsFile)) return { passed: 0, failed: 0, skipped: 0, failures: [] };
  return JSON.parse(readFileSync(countsFile, 'utf8'));
}

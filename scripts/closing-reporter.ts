import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/**
 * Names every skipped test with its reason (`context.skip('reason')`), since a skip nobody sees is a test
 * nobody has, and leaves the counts where scripts/test.mjs asks for them.
 */
export class ClosingReporter implements Reporter {
  #namePattern: RegExp | undefined;

  onInit(vitest: Vitest): void {
    this.#namePattern = vitest.config.testNamePattern;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const skipped = tests.filter((test) => test.result().state === 'skipped' && !this.#isFilteredOut(test));
    for (const test of skipped) console.log(`skipped: ${test.fullName}: ${reasonOf(test)}`);

    const countsFile = process.env.EVIDENT_TEST_COUNTS;
    if (countsFile === undefined) return;
    const failedTests = tests.filter((test) => test.result().state === 'failed').length;
    // A file that does not load, or a hook that throws, fails without a failed test.
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const failedSuites = suites.filter((suite) => suite.errors().length > 0).length;
    writeFileSync(
      countsFile,
      JSON.stringify({
        passed: tests.filter((test) => test.result().state === 'passed').length,
        failed: failedTests + failedSuites + unhandledErrors.length,
        skipped: skipped.length,
      }),
    );
  }

  /** With `-t name` vitest marks all other tests as skipped. Nobody skipped those. */
  #isFilteredOut(test: TestCase): boolean {
    return this.#namePattern !== undefined && !this.#namePattern.test(test.fullName);
  }
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  return (result.state === 'skipped' && result.note) || 'no reason given';
}

import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/**
 * Names every skipped test with its reason (`context.skip('reason')`), since a skip nobody sees is a test
 * nobody has, and leaves counts and failures where scripts/test.mjs asks for them.
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
    const failedTests = tests.filter((test) => test.result().state === 'failed');
    // A file that does not load, or a hook that throws, fails without a failed test.
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const failedSuites = suites.filter((suite) => suite.errors().length > 0);
    writeFileSync(
      countsFile,
      JSON.stringify({
        passed: tests.filter((test) => test.result().state === 'passed').length,
        failed: failedTests.length + failedSuites.length + unhandledErrors.length,
        skipped: skipped.length,
        failures: [
          ...failedTests.map((test) => failure(test.module, test.fullName, test.result().errors)),
          ...failedSuites.map((suite) =>
            suite.type === 'module'
              ? failure(suite, 'does not load', suite.errors())
              : failure(suite.module, suite.fullName, suite.errors()),
          ),
          ...unhandledErrors.map((error) => `nobody caught: ${firstLines(error)}`),
        ],
      }),
    );
  }

  /** With `-t name` vitest marks all other tests as skipped. Nobody skipped those. */
  #isFilteredOut(test: TestCase): boolean {
    return this.#namePattern !== undefined && !this.#namePattern.test(test.fullName);
  }
}

function failure(module: TestModule, name: string, errors: readonly unknown[] | undefined): string {
  return `${module.relativeModuleId}: ${name}: ${firstLines(errors?.[0])}`;
}

/** Enough to know what it was; all of it stands further up. */
function firstLines(error: unknown): string {
  const { message, stack } = (error ?? {}) as { message?: string; stack?: string };
  return (message ?? stack ?? String(error)).split('\n').slice(0, 12).join('\n  ');
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  return (result.state === 'skipped' && result.note) || 'no reason given';
}

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ClosingReporter } from './scripts/closing-reporter.ts';

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'sim/**/*.test.ts',
      'bench/**/*.test.ts',
      'web/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    // Measured here a fifth faster than forks. A test that needs its own process starts one.
    pool: 'threads',
    // Most of the time is waiting for processes and commits. By default a machine with two cores would get one worker.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // No test is about time: this is for one that hangs, on however slow a machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Words are compared; a machine that sets CI would colour them without a terminal (seen in CI: the story).
    env: { NO_COLOR: '1' },
    globalSetup: ['test/postgres.setup.ts', 'test/web.setup.ts'],
    setupFiles: ['test/fast-check.setup.ts'],
    reporters: ['default', new ClosingReporter()],
  },
});

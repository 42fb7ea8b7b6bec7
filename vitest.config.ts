import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ClosingReporter } from './scripts/closing-reporter.ts';
import { scratchDirectory } from './scripts/scratch-directory.mjs';
import { SlowestFirst } from './scripts/slowest-first.ts';

// Before any worker or set-up starts: they and their children inherit it.
process.env.TMPDIR = scratchDirectory();

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'sim/**/*.test.ts',
      'bench/**/*.test.ts',
      'soak/**/*.test.ts',
      'web/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    // Measured here a fifth faster than forks. A test that needs its own process starts one.
    pool: 'threads',
    // Half of the time is waiting for processes and commits: twice as many workers as cores keep the cores busy.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: SlowestFirst },
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

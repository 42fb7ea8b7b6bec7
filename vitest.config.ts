import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig, type UserWorkspaceConfig } from 'vitest/config';
import { ClosingReporter } from './scripts/closing-reporter.ts';
import { scratchDirectory } from './scripts/scratch-directory.mjs';
import { SlowestFirst } from './scripts/slowest-first.ts';

// Before any worker or set-up starts: they and their children inherit it.
process.env.TMPDIR = scratchDirectory();

/** Tests that start no process and keep no file open. */
const PURE = ['src', 'sim', 'bench', 'soak', 'web', 'test/verbs'].map((folder) => `${folder}/**/*.test.ts`);
const OPEN_DATABASES = ['src/store/**', 'sim/twin/**'];

const EACH: UserWorkspaceConfig['test'] = {
  // Measured here a fifth faster than forks. A test that needs its own process starts one.
  pool: 'threads',
  // No test is about time: this is for one that hangs, on however slow a machine.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // Words are compared; a machine that sets CI would colour them without a terminal (seen in CI: the story).
  env: { NO_COLOR: '1' },
  setupFiles: ['test/fast-check.setup.ts'],
};

export default defineConfig({
  test: {
    // Half of the time is waiting for processes and commits: twice as many workers as cores keep the cores busy.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: SlowestFirst },
    globalSetup: ['test/postgres.setup.ts', 'test/web.setup.ts'],
    reporters: ['default', new ClosingReporter()],
    projects: [
      {
        test: {
          ...EACH,
          name: 'processes',
          include: ['test/**/*.test.ts', ...OPEN_DATABASES.map((folder) => `${folder}/*.test.ts`)],
          exclude: [...configDefaults.exclude, 'test/verbs/**'],
        },
      },
      {
        test: {
          ...EACH,
          name: 'pure',
          // Files share what they load: reading it anew for each was a third of their time.
          isolate: false,
          include: PURE,
          exclude: [...configDefaults.exclude, ...OPEN_DATABASES],
        },
      },
    ],
  },
});

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../scripts/root.mjs';

/** For tests that are run once more as an ordinary user, who may write nothing in the checkout and needs no database. */
export default {
  root: ROOT,
  cacheDir: join(tmpdir(), `evident-vite-${process.getuid?.()}`),
  test: {
    include: ['test/runtime/*.test.ts', 'test/up/*.test.ts', 'test/worker/*.test.ts'],
    pool: 'threads',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    env: { NO_COLOR: '1' },
  },
};

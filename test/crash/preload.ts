import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';

/** Bundles a file of this directory once per test file. Returns the environment that loads it before a program. */
export function usePreload(file: string): () => Readonly<Record<string, string>> {
  let dir = '';
  beforeAll(async () => {
    dir = mkdtempSync(join(resolve('dist'), 'test-preload-'));
    await build({
      entryPoints: [resolve('test/crash', file)],
      outfile: join(dir, 'preload.mjs'),
      ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20.19', logLevel: 'error' },
    });
  }, 60_000);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return () => ({ NODE_OPTIONS: `--import file://${join(dir, 'preload.mjs')}` });
}

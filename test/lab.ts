import { describe, inject } from 'vitest';
import { newDatabase } from '../src/lab/postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: { readonly url: string } | { readonly why: string };
  }
}

let made = 0;

/** A suite on the run's own PostgreSQL; without one it is skipped, and its name says why. */
export function describeWithPostgres(name: string, suite: (newUrl: () => Promise<string>) => void): void {
  const found = inject('postgres');
  if ('why' in found) {
    describe.skip(`${name} (skipped: ${found.why})`, () => suite(() => Promise.reject(new Error(found.why))));
    return;
  }
  describe(name, () => suite(() => newDatabase(found.url, `t${process.pid}_${Date.now()}_${made++}`)));
}

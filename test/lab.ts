import { afterAll, beforeAll, describe, inject } from 'vitest';
import { newDatabase, type OwnCluster, startPostgres } from '../lab/postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: { readonly url: string } | { readonly why: string };
  }
}

let databases = 0;

/** Runs a suite on the run's own PostgreSQL; without one it is skipped, and its name gives the reason. */
export function describeWithPostgres(name: string, suite: (newUrl: () => Promise<string>) => void): void {
  const found = inject('postgres');
  if ('why' in found) {
    describe.skip(`${name} (skipped: ${found.why})`, () => suite(() => Promise.reject(new Error(found.why))));
    return;
  }
  describe(name, () => suite(() => newDatabase(found.url, `t${process.pid}_${Date.now()}_${databases++}`)));
}

export interface OwnPostgres {
  cluster(): OwnCluster;
  newUrl(): Promise<string>;
}

/** Runs a suite that stops, copies or damages its PostgreSQL, and so has one of its own. */
export function describeWithOwnPostgres(name: string, suite: (postgres: OwnPostgres) => void): void {
  const found = inject('postgres');
  const why =
    'why' in found
      ? found.why
      : process.env.EVIDENT_TEST_DATABASE_URL
        ? 'the one of EVIDENT_TEST_DATABASE_URL is not ours to stop'
        : null;
  if (why !== null) {
    const none = () => {
      throw new Error(why);
    };
    describe.skip(`${name} (skipped: ${why})`, () => suite({ cluster: none, newUrl: none }));
    return;
  }
  describe(name, () => {
    let started: Awaited<ReturnType<typeof startPostgres>>;
    beforeAll(async () => {
      started = await startPostgres();
    }, 60_000);
    afterAll(() => (started.ok ? started.cluster.stop() : undefined));
    const running = () => {
      if (!started.ok || started.cluster.own === null) throw new Error('the cluster did not start');
      return { url: started.cluster.url, own: started.cluster.own };
    };
    suite({
      cluster: () => running().own,
      newUrl: () => newDatabase(running().url, `t${process.pid}_${Date.now()}_${databases++}`),
    });
  });
}

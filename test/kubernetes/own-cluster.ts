import { afterAll, beforeAll, describe } from 'vitest';
import {
  type KubernetesStart,
  type OwnKubernetes,
  startKubernetes,
  whyNoKubernetes,
} from '../../lab/kubernetes.ts';

/**
 * Runs a suite on a real cluster of its own; without a lab it is skipped, and its name gives the reason. The tests of
 * a suite follow each other on the same cluster and leave it as they found it.
 */
export function describeWithCluster(
  name: string,
  suite: (cluster: () => OwnKubernetes) => void,
  options: { readonly node?: boolean } = {},
): void {
  const why = whyNoKubernetes(options);
  if (why !== null) {
    console.warn(`SKIPPED: ${name}. ${why}`);
    describe.skip(`${name} (skipped: ${why})`, () => suite(() => raise(why)));
    return;
  }
  describe(name, () => {
    let started: KubernetesStart | null = null;
    beforeAll(async () => {
      started = await startKubernetes(options);
      if (!started.ok) raise(started.why);
    }, 120_000);
    afterAll(() => (started?.ok ? started.cluster.down() : undefined), 60_000);
    suite(() => (started?.ok ? started.cluster : raise('the cluster did not start')));
  });
}

function raise(why: string): never {
  throw new Error(why);
}

import { openAccess } from '../src/kubernetes/api/access.ts';
import { ApiConnection } from '../src/kubernetes/api/connection.ts';
import { ClusterCache } from '../src/kubernetes/cache/cluster-cache.ts';

/** The cost of a copy of a cluster, as its own process sees it. */
export interface HeldCluster {
  readonly pods: number;
  /** From the start of the cache until everything in it was proven. */
  readonly provenMs: number;
  readonly peakBytes: number;
  /** Share of one core while nothing changes. */
  readonly calmCpu: number;
}

const CALM_MS = 20_000;

/** Holds a copy of the cluster for a while, prints its cost and ends: a process of its own, so that memory is its own. */
export async function holdCluster(kubeconfig: string): Promise<number> {
  let peakBytes = 0;
  const sampling = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, 50);
  const connection = new ApiConnection(await openAccess({ kubeconfig }));
  const cache = new ClusterCache(connection, { namespaces: 'all' });
  const began = performance.now();
  cache.start();
  while (cache.namespaceStanding('default').watchAgeMs === null) await pause(20);
  const provenMs = performance.now() - began;
  const before = process.cpuUsage();
  await pause(CALM_MS);
  const { user, system } = process.cpuUsage(before);
  const pods = [...cache.records('Pod')].length;
  const held: HeldCluster = { pods, provenMs, peakBytes, calmCpu: (user + system) / 1000 / CALM_MS };
  clearInterval(sampling);
  cache.stop();
  connection.close();
  console.log(JSON.stringify(held));
  return 0;
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

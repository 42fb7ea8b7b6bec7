import { hostname } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import manifest from '../../package.json' with { type: 'json' };
import { runAgent } from '../agent/agent.ts';
import { openCluster } from '../kubernetes/agent/open-cluster.ts';
import { ApiFailure } from '../kubernetes/api/problem.ts';
import { ConfigRefused } from '../server/config.ts';
import { lockDirectory } from '../store/sqlite/directory.ts';
import type { AgentFlags } from './agent-flags.ts';
import { componentClient } from './component-client.ts';
import { dataDirectory } from './store-options.ts';

/**
 * Lets the heap grow by so many percent of what is in use before garbage is collected. V8 would let a heap of 60 MB grow
 * to 120: lists come in pages, of which little is kept.
 */
const HEAP_GROWTH_PERCENT = 30;

/** `evident agent --runtime kubernetes`: observes a cluster, from outside or inside, and deploys there if it may. */
export async function runKubernetesAgent(flags: AgentFlags): Promise<void> {
  // V8 reads it at each collection. The size of the young generation could only be set before Node starts.
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const { target, namespace = [], defaultNamespace, deploy = false, kubeconfig, context, output } = flags;
  const dir = join(dataDirectory(flags), 'runtime', target);
  const name = flags.name ?? `agent-${hostname()}`.slice(0, 200);
  const taken = lockDirectory(dir);
  try {
    const file = join(dir, 'agent-token');
    const { client } = await componentClient(flags, { role: 'agent', name, target, file });
    const say = (line: string) => console.error(line);
    const runtime = await openCluster({
      target,
      say,
      namespaces: namespace,
      deploys: deploy,
      dir,
      ...(defaultNamespace !== undefined && { defaultNamespace }),
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(context !== undefined && { context }),
    }).catch(explainCluster);
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    const ready = () =>
      console.log(
        output === 'json'
          ? JSON.stringify({ event: 'ready', target, server: client.server, identity: runtime.identity })
          : `${name} speaks for ${target} at ${client.server}; it ${deploy ? `deploys to namespace ${runtime.defaultNamespace} of` : 'observes'} the cluster ${runtime.identity}`,
      );
    try {
      await runAgent({ client, runtime, target, name, version: manifest.version, say, ready }, stop.signal);
    } finally {
      await runtime.close();
    }
  } finally {
    taken.release();
  }
}

function explainCluster(error: unknown): never {
  if (!(error instanceof ApiFailure)) throw error;
  const { kind, message } = error.problem;
  if (kind === 'forbidden')
    throw new ConfigRefused(
      `The cluster does not let this agent read the namespace kube-system, which tells clusters apart. Grant it: evident agent install prints the roles. (${message})`,
    );
  throw new ConfigRefused(`The cluster cannot be reached: ${message}`);
}

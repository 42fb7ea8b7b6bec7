import type { WorkloadView } from './workload.ts';

/** Services that another tool deploys send no output here. */
export const KEEPS_NO_OUTPUT = 'Evident keeps no output of what another tool deploys.';

/** The sentence for an empty log, with the command that shows it where the cluster has it. Pure. */
export function noOutputWords(stream: 'build' | 'run', workload: WorkloadView | null): string {
  if (workload === null) return `No ${stream} output yet. Try --stream ${stream === 'run' ? 'build' : 'run'}`;
  return `${KEEPS_NO_OUTPUT} Its cluster has it: ${inCluster(workload)}`;
}

/** A CronJob has no pods of its own: those of its last runs are listed. */
export function inCluster({
  kind,
  namespace,
  name,
}: Pick<WorkloadView, 'kind' | 'namespace' | 'name'>): string {
  const at = `kubectl -n ${namespace}`;
  if (kind === 'CronJob') return `${at} get jobs, then ${at} logs job/NAME`;
  return `${at} logs ${kind === 'Pod' ? name : `${kind.toLowerCase()}/${name}`}`;
}

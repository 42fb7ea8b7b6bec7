import type { WorkloadView } from '../../contract/presentation/workload.ts';

/** The sentence for an empty log. Services that another tool deploys send no output here: their cluster has it. Pure. */
export function noOutputWords(stream: 'build' | 'run', workload: WorkloadView | null): string {
  if (workload === null) return `No ${stream} output yet. Try --stream ${stream === 'run' ? 'build' : 'run'}`;
  return `Evident keeps no output of what another tool deploys. Its cluster has it: ${inCluster(workload)}`;
}

/** A CronJob has no pods of its own: those of its last runs are listed. */
function inCluster({ kind, namespace, name }: WorkloadView): string {
  const at = `kubectl -n ${namespace}`;
  if (kind === 'CronJob') return `${at} get jobs, then ${at} logs job/NAME`;
  return `${at} logs ${kind === 'Pod' ? name : `${kind.toLowerCase()}/${name}`}`;
}

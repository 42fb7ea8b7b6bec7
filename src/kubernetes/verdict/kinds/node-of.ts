import { conditionsOf } from '../conditions.ts';
import { listAt, type ObjectFields, textAt } from '../fields.ts';
import type { Objects } from '../objects.ts';

export const UNREACHABLE = 'node.kubernetes.io/unreachable';

export function hasTaint(node: ObjectFields, key: string): boolean {
  return listAt(node, 'spec.taints').some((taint) => textAt(taint, 'key') === key);
}

/** More nodes of one name are no cluster, and comparing each pod with all of them is slow. */
const MOST_NODES = 20;

/**
 * Says that the node of a pod does not speak, if it is in the input and so. Pod and node are linked by name and
 * address: a name alone may be a node of another cluster.
 */
export function silentNode(pod: ObjectFields, around: Objects): string | null {
  const [name, address] = [textAt(pod, 'spec.nodeName'), textAt(pod, 'status.hostIP')];
  if (name === null || address === null) return null;
  for (const node of around.named('Node', name).slice(0, MOST_NODES)) {
    if (!listAt(node, 'status.addresses').some((at) => textAt(at, 'address') === address)) continue;
    const isReady = conditionsOf(node).get('Ready');
    if (isReady?.status === 'Unknown') return `node ${name} is silent: ${isReady.reason ?? 'Ready=Unknown'}`;
    if (hasTaint(node, UNREACHABLE)) return `node ${name} is silent: taint ${UNREACHABLE}`;
  }
  return null;
}

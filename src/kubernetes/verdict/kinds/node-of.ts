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
 * Says that the node of a pod does not speak, if it is in the input and so. A pod names its node and knows no UID of it;
 * where both tell an address and it is another one, the node is one of another cluster.
 */
export function silentNode(pod: ObjectFields, around: Objects): string | null {
  const [name, address] = [textAt(pod, 'spec.nodeName'), textAt(pod, 'status.hostIP')];
  if (name === null) return null;
  for (const node of around.named('Node', name).slice(0, MOST_NODES)) {
    const addresses = listAt(node, 'status.addresses').map((at) => textAt(at, 'address'));
    if (address && addresses.length > 0 && !addresses.includes(address)) continue;
    const isReady = conditionsOf(node).get('Ready');
    if (isReady?.status === 'Unknown') return `node ${name} is silent: ${isReady.reason ?? 'Ready=Unknown'}`;
    if (hasTaint(node, UNREACHABLE)) return `node ${name} is silent: taint ${UNREACHABLE}`;
  }
  return null;
}

import { targetOf } from '../../contract/names.ts';
import type { PodRecord } from '../cache/pod.ts';
import type { DeploymentRecord } from '../cache/workloads.ts';
import type { DeployedMarks } from '../deploy/marks.ts';
import type { WritingPod } from '../deploy/pod-outputs.ts';
import type { ClusterRecords } from '../observe/records.ts';

/** The pods of a target's own services in the namespace in which its agent deploys. Null namespace: it deploys nothing. */
export class DeployedPods {
  readonly #records: ClusterRecords;
  readonly #target: string;
  readonly #namespace: () => string | null;

  constructor(records: ClusterRecords, target: string, namespace: () => string | null) {
    this.#records = records;
    this.#target = target;
    this.#namespace = namespace;
  }

  has(pod: PodRecord): boolean {
    return this.#ownerOf(pod) !== null;
  }

  /** The pods that have written output, or may have. */
  *writing(): Generator<WritingPod> {
    const namespace = this.#namespace();
    if (namespace === null) return;
    for (const pod of this.#records.records('Pod', namespace)) {
      const marks = this.#ownerOf(pod)?.marks ?? null;
      const rollout = this.#records.record('ReplicaSet', pod.controller?.uid ?? '')?.rollout ?? null;
      if (marks === null || rollout === null || !hasStarted(pod)) continue;
      const { uid, name } = pod;
      yield { uid, name, namespace, service: marks.service, stamp: rollout };
    }
  }

  /** An object there that was applied for a service of this target: several may deploy to one cluster. */
  isOurs({ namespace, marks }: { namespace: string; marks: DeployedMarks | null }): boolean {
    return marks !== null && namespace === this.#namespace() && targetOf(marks.service) === this.#target;
  }

  /** By the chain of its controllers: labels are copied by anyone's edit. */
  #ownerOf({ namespace, controller }: PodRecord): DeploymentRecord | null {
    if (controller?.kind !== 'ReplicaSet') return null;
    const set = this.#records.record('ReplicaSet', controller.uid);
    if (set === null || set.controller === null) return null;
    const owner = this.#records.record('Deployment', set.controller.uid);
    return owner !== null && this.isOurs({ namespace, marks: owner.marks }) ? owner : null;
  }
}

const hasStarted = ({ containers }: PodRecord): boolean =>
  containers.some(({ state, lastEnd }) => state.kind !== 'waiting' || lastEnd !== null);

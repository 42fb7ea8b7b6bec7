import { conditionFacts, conditionsIn, conditionsOf } from '../conditions.ts';
import { countAt, flagAt, isThere, listAt, type ObjectFields, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { annotationOf, observedUnmet, type PhaseTable, phaseUnmet } from './reading.ts';

const PHASES: PhaseTable = {
  Running: 'met',
  Pending: ['progressing', 'not_yet_ready'],
  Provisioning: ['progressing', 'not_yet_ready'],
  // A machine that is provisioned is no node yet.
  Provisioned: ['progressing', 'not_yet_ready'],
  Scaling: ['progressing', 'scaling'],
  ScalingUp: ['progressing', 'scaling'],
  ScalingDown: ['progressing', 'scaling'],
  Updating: ['progressing', 'updating'],
  Deleting: ['progressing', 'being_deleted'],
  Deleted: ['progressing', 'being_deleted'],
  Failed: ['failed', 'reconcile_failed'],
  Unknown: ['unknown', 'health_unknown'],
};
const CLUSTER_PHASES: PhaseTable = { ...PHASES, Provisioned: 'met' };

/** Conditions that stand beside Available=True while the machines change. */
const WORK = ['RollingOut', 'ScalingUp', 'ScalingDown', 'Remediating', 'Updating', 'Deleting'] as const;

/** Each says of one part that it is there, in versions before v1beta2. */
const PARTS = ['infrastructureReady', 'controlPlaneReady', 'bootstrapReady'].map((name) => `status.${name}`);

/** Ready and Available prove it by the common conditions; phase, work and failures beside them take the proof away. */
const judgedWith =
  (phases: PhaseTable) =>
  (object: ObjectFields): Ruling | null => {
    const newer = conditionsIn(listAt(object, 'status.v1beta2.conditions'));
    const conditions = new Map([...conditionsOf(object), ...newer]);
    if (flagAt(object, 'spec.paused')) return ruling('suspended', 'paused', 'spec.paused is true');
    if (annotationOf(object, 'cluster.x-k8s.io/paused') !== null)
      return ruling('suspended', 'paused', 'an annotation pauses it');
    const paused = conditions.get('Paused');
    if (paused?.status === 'True') return ruling('suspended', 'paused', conditionFacts(paused));
    const failure = textAt(object, 'status.failureReason') ?? textAt(object, 'status.failureMessage');
    if (failure) return ruling('failed', 'reconcile_failed', failure);
    const phase = isThere(object, 'status.phase') ? phaseUnmet(object, 'status.phase', phases) : null;
    if (phase !== null) return phase;
    const part = PARTS.find((field) => isThere(object, field) && !flagAt(object, field));
    if (part !== undefined) return ruling('progressing', 'not_yet_ready', `${part} is false`);
    const work = WORK.map((type) => conditions.get(type)).find((its) => its?.status === 'True');
    if (work !== undefined) return ruling('progressing', 'reconciling', conditionFacts(work));
    const [node, available] = [conditions.get('NodeHealthy'), newer.get('Available')];
    if (node?.status === 'False') return ruling('degraded', 'impaired', conditionFacts(node));
    if (node?.status === 'Unknown' && conditions.get('Ready')?.status === 'True')
      return ruling('unknown', 'node_lost', conditionFacts(node));
    return available !== undefined && available.status !== 'True'
      ? ruling('progressing', 'not_available', conditionFacts(available))
      : null;
  };

/** The oldest version among its machines, and the parts that it is made of, beside what the common conditions say. */
function judgeControlPlane(object: ObjectFields): Ruling | null {
  const unmet = judgedWith(PHASES)(object);
  if (unmet !== null) return unmet;
  const conditions = conditionsOf(object);
  const sick = ['EtcdClusterHealthy', 'ControlPlaneComponentsHealthy']
    .map((type) => conditions.get(type))
    .find((its) => its !== undefined && its.status !== 'True');
  if (sick !== undefined)
    return sick.status === 'False'
      ? ruling('degraded', 'impaired', conditionFacts(sick))
      : ruling('progressing', 'not_yet_ready', conditionFacts(sick));
  const [wanted, oldest] = ['spec.version', 'status.version'].map((path) => textAt(object, path));
  return wanted && oldest && wanted !== oldest
    ? ruling('progressing', 'updating', `version ${oldest}, ${wanted} wanted`)
    : null;
}

/** It counts the machines that it watches; remediation that is not allowed leaves sick ones as they are. */
function judgeHealthCheck(object: ObjectFields): Ruling {
  const [expected, healthy] = ['expectedMachines', 'currentHealthy'].map((name) =>
    countAt(object, `status.${name}`),
  );
  const [have, want] = [healthy ?? 0, expected ?? 0];
  const allowed = conditionsOf(object).get('RemediationAllowed');
  const facts = `${have} of ${want} machines are healthy`;
  return climb(
    [
      () =>
        annotationOf(object, 'cluster.x-k8s.io/paused') === null
          ? null
          : ruling('suspended', 'paused', 'an annotation pauses it'),
      () =>
        expected === null || healthy === null
          ? ruling('progressing', 'not_observed', 'status.expectedMachines or currentHealthy is missing')
          : null,
      () => observedUnmet(object),
      () =>
        allowed?.status === 'False'
          ? ruling('degraded', 'impaired', `${facts}; ${conditionFacts(allowed)}`)
          : null,
      () => (have < want ? ruling('degraded', 'impaired', facts, { have, want }) : null),
    ],
    ready(facts),
  );
}

export const CLUSTER_API: readonly CustomFamily[] = [
  { group: 'cluster.x-k8s.io', kinds: ['Cluster'], judge: judgedWith(CLUSTER_PHASES) },
  {
    group: 'cluster.x-k8s.io',
    kinds: ['Machine', 'MachineDeployment', 'MachinePool', 'MachineSet'],
    judge: judgedWith(PHASES),
  },
  {
    group: 'controlplane.cluster.x-k8s.io',
    kinds: ['KubeadmControlPlane'],
    judge: judgeControlPlane,
  },
  { group: 'cluster.x-k8s.io', kinds: ['MachineHealthCheck'], judge: judgeHealthCheck },
];

import { conditionFacts, conditionsOf } from '../conditions.ts';
import { flagAt, type ObjectFields } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { KindLadder } from './ladder-context.ts';
import { hasTaint, UNREACHABLE } from './node-of.ts';

/** Names of conditions that node problem detectors add, True when something is wrong. Others may be True when all is well. */
const PROBLEM = /^(?:Frequent|Corrupt|ReadonlyFilesystem)|(?:Deadlock|Problem|Pressure|Unhealthy|Error)$/;

const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

export const judgeNode: KindLadder = (node) => {
  const conditions = conditionsOf(node);
  const isReady = conditions.get('Ready');
  const pressure = PRESSURES.map((type) => conditions.get(type)).find(
    (condition) => condition?.status === 'True',
  );
  const unsaid = PRESSURES.map((type) => conditions.get(type)).find((its) => its?.status === 'Unknown');
  const network = conditions.get('NetworkUnavailable');
  const problem = [...conditions.values()].find(
    ({ type, status }) => PROBLEM.test(type) && status === 'True',
  );
  return climb(
    [
      () =>
        isReady === undefined ? ruling('unknown', 'not_observed', 'the condition Ready is missing') : null,
      () =>
        isReady?.twofold === undefined ? null : ruling('unknown', 'contradictory', conditionFacts(isReady)),
      () =>
        isReady?.status === 'Unknown' ? ruling('unknown', 'node_silent', conditionFacts(isReady)) : null,
      () =>
        isReady?.status === 'False' ? ruling('failed', 'node_not_ready', conditionFacts(isReady)) : null,
      () => taintUnmet(node),
      () =>
        unsaid === undefined
          ? null
          : ruling('unknown', 'contradictory', `Ready=True, and ${conditionFacts(unsaid)}`),
      () => (network?.status === 'True' ? ruling('degraded', 'node_network', conditionFacts(network)) : null),
      () => (pressure === undefined ? null : ruling('degraded', 'node_pressure', conditionFacts(pressure))),
      () => (problem === undefined ? null : ruling('degraded', 'node_problem', conditionFacts(problem))),
      () =>
        flagAt(node, 'spec.unschedulable')
          ? ruling('suspended', 'cordoned', 'spec.unschedulable is true')
          : null,
    ],
    ready('Ready=True'),
  );
};

const NO_NETWORK = 'node.kubernetes.io/network-unavailable';

/** Taints by which the cluster itself takes a node out, whatever its last condition says. Others are somebody's choice. */
const TAINTS: readonly (readonly [string, Ruling])[] = [
  [UNREACHABLE, ruling('unknown', 'node_silent', `taint ${UNREACHABLE}`)],
  ...['node.kubernetes.io/not-ready', 'node.cloudprovider.kubernetes.io/uninitialized'].map(
    (key) => [key, ruling('progressing', 'node_not_ready', `taint ${key}`)] as const,
  ),
  ...['memory', 'disk', 'pid']
    .map((what) => `node.kubernetes.io/${what}-pressure`)
    .map((key) => [key, ruling('degraded', 'node_pressure', `taint ${key}`)] as const),
  [NO_NETWORK, ruling('degraded', 'node_network', `taint ${NO_NETWORK}`)],
  ...['node.kubernetes.io/out-of-service', 'node.cloudprovider.kubernetes.io/shutdown'].map(
    (key) => [key, ruling('degraded', 'node_problem', `taint ${key}`)] as const,
  ),
];

function taintUnmet(node: ObjectFields): Ruling | null {
  return TAINTS.find(([key]) => hasTaint(node, key))?.[1] ?? null;
}

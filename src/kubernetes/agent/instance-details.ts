import { CONDITION_TYPE, type Instance, NODE_LABEL } from '../../contract/report.ts';
import type { PodRecord } from '../cache/pod.ts';
import { type Warnings, warnedReadiness } from '../observe/warnings.ts';
import { appExitCode, podTrouble } from './pod-reason.ts';

/** Numbers and names beside the reason of a pod, for its sentence. No free text can enter one (S15). Pure. */
export function detailsOf(
  pod: PodRecord,
  reason: Instance['reason'],
  warnings: Warnings,
): Pick<Instance, 'details'> {
  const exitCode = reason === 'exited' || reason === 'crash_loop' ? appExitCode(pod) : null;
  const container = troubledContainer(pod, reason);
  const labels = reason === 'no_matching_node' ? askedLabels(pod) : [];
  const status = reason === 'probe_failed' ? (warnedReadiness(pod, warnings)?.status ?? null) : null;
  const gate = reason === 'readiness_gate' ? unmetGate(pod) : undefined;
  const details = {
    ...(labels.length > 0 && { labels }),
    ...(status !== null && { status }),
    ...(gate !== undefined && { gate }),
    // Linux has 256 codes; other systems have more, which no sentence needs.
    ...(exitCode !== null && exitCode >= 0 && exitCode <= 255 && { exitCode }),
    ...(container !== null && { container }),
  };
  return Object.keys(details).length === 0 ? {} : { details };
}

/** Written as kubectl takes them; few, for a sentence. */
const askedLabels = ({ nodeSelector }: PodRecord): string[] =>
  Object.entries(nodeSelector ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .filter((label) => NODE_LABEL.test(label))
    .slice(0, 3);

/** The container that the reason is about, where there are several that it could be about. */
function troubledContainer(pod: PodRecord, reason: Instance['reason']): string | null {
  const judged = pod.containers.filter(({ kind }) => kind !== 'ephemeral');
  const trouble = judged.length > 1 ? podTrouble(pod) : null;
  return trouble !== null && trouble.reason === reason ? trouble.container : null;
}

const unmetGate = ({ readinessGates, conditions }: PodRecord): string | undefined =>
  readinessGates.find(
    (gate) => CONDITION_TYPE.test(gate) && conditions.find(({ type }) => type === gate)?.status !== 'True',
  );

import type { ReasonName } from '../reasons/index.ts';
import type { Ruling } from '../verdict.ts';

/** Reasons of a pod that serves as it should while the cluster changes it. */
const SERVING: ReadonlySet<ReasonName> = new Set(['resize_pending', 'resize_refused', 'disrupted']);

/** The pod counts as one that answers: a workload is not worse because one of its pods is resized. */
export function stillServes({ verdict, reason }: Ruling): boolean {
  return verdict === 'ready' || (typeof reason === 'string' && SERVING.has(reason));
}

import type { Provenance } from '../cache/managed-by.ts';
import type { DeployedMarks } from '../deploy/marks.ts';
import type { CurrentTemplate, WorkloadRef } from './revision-of-pod.ts';

/** A workload as its own record shows it, without its copies. */
export interface WorkloadFacts extends Provenance {
  readonly kind: WorkloadRef['kind'];
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Selectors of a rule compare them, also after the API no longer has the workload. */
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: string | null;
  readonly isDeleting: boolean;
  /** Copies wanted of the template, from the live spec; null where only the controller knows and has not said. */
  readonly desired: number | null;
  /** Null for a pod by itself. */
  readonly generation: { readonly desired: number; readonly observed: number | null } | null;
  /** The template that is wanted now; `unsettled` until its controller has looked. */
  readonly template: CurrentTemplate;
  readonly images: Readonly<Record<string, string>>;
  /** Evident itself applied it: no rule is needed for it, and none makes a service of it. */
  readonly deployed?: DeployedWorkload;
  /** Copies that the controller says are ready. Fewer than counted weakens a claim; more never strengthens it. */
  readonly saidReady: number | null;
}

/** The service that a workload was applied for, as its own marks and managers show it. */
export interface DeployedWorkload extends DeployedMarks {
  /** Others that own fields of its template: what runs is no longer what was applied (rule 3). */
  readonly changedBy: readonly string[];
}

/** A workload that a pod belonged to when that was last known, and the template that it ran. */
export interface KnownPlace {
  readonly workload: WorkloadFacts;
  readonly template: string | null;
}

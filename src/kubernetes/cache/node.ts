import { countAt, flagAt, textAt } from '../verdict/fields.ts';
import { keeper, type RecordCondition, type RecordHead, recordConditions } from './head.ts';

export interface NodeRecord extends RecordHead {
  /** Written by the kubelet while it lives, and by the controller manager once it is silent: not proof by itself. */
  readonly conditions: readonly RecordCondition[];
  readonly isCordoned: boolean;
  readonly kubeletVersion: string | null;
  readonly bootId: string | null;
}

export const keepNode: (object: unknown) => NodeRecord | null = keeper((node) => ({
  conditions: recordConditions(node),
  isCordoned: flagAt(node, 'spec.unschedulable'),
  kubeletVersion: textAt(node, 'status.nodeInfo.kubeletVersion'),
  bootId: textAt(node, 'status.nodeInfo.bootID'),
}));

/** The lease of a node, by the node's name: its kubelet changes `renewTime` while it lives. */
export interface NodeLeaseRecord extends RecordHead {
  /** The kubelet's clock: only that it changes counts, never its value (rule 5). */
  readonly renewTime: string | null;
  readonly durationSeconds: number | null;
}

export const keepNodeLease: (object: unknown) => NodeLeaseRecord | null = keeper((lease) => ({
  renewTime: textAt(lease, 'spec.renewTime'),
  durationSeconds: countAt(lease, 'spec.leaseDurationSeconds'),
}));

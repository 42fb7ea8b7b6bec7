import { countAt, listAt, type ObjectFields, textAt } from './fields.ts';

/** One entry of `status.conditions`. A status that is none of the three words of Kubernetes is read as `Unknown`. */
export interface ObjectCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string | null;
  readonly message: string | null;
  readonly observedGeneration: number | null;
  readonly changedAt: string | null;
}

/** Conditions by type. A type that stands twice with different statuses is read as `Unknown`. */
export type Conditions = ReadonlyMap<string, ObjectCondition>;

export function conditionsOf(object: ObjectFields): Conditions {
  return conditionsIn(listAt(object, 'status.conditions'));
}

export function conditionsIn(entries: readonly ObjectFields[]): Conditions {
  const conditions = new Map<string, ObjectCondition>();
  for (const entry of entries) {
    const condition = conditionIn(entry);
    const before = conditions.get(condition.type);
    const isTwofold = before !== undefined && before.status !== condition.status;
    conditions.set(condition.type, isTwofold ? { ...condition, status: 'Unknown' } : condition);
  }
  return conditions;
}

function conditionIn(entry: ObjectFields): ObjectCondition {
  const status = textAt(entry, 'status');
  return {
    type: textAt(entry, 'type') ?? '',
    status: status === 'True' || status === 'False' ? status : 'Unknown',
    reason: textAt(entry, 'reason'),
    message: textAt(entry, 'message'),
    observedGeneration: countAt(entry, 'observedGeneration'),
    changedAt: textAt(entry, 'lastTransitionTime'),
  };
}

/** A condition in the words of the cluster: `Ready=False (Failed: no such bucket)`. */
export function conditionFacts({ type, status, reason, message }: ObjectCondition): string {
  const why = [reason, message].filter((part) => part !== null && part !== '').join(': ');
  return why === '' ? `${type}=${status}` : `${type}=${status} (${why})`;
}

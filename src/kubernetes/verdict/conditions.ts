import { countAt, listAt, type ObjectFields, textAt } from './fields.ts';

/** One entry of `status.conditions`. A status that is none of the three words of Kubernetes is read as `Unknown`. */
export interface ObjectCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string | null;
  readonly message: string | null;
  readonly observedGeneration: number | null;
  readonly changedAt: string | null;
  /** The statuses of a type that stands twice; absent where it says one thing. */
  readonly twofold?: readonly string[];
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
    const statuses = before === undefined ? [] : [...(before.twofold ?? [before.status]), condition.status];
    const isTwofold = new Set(statuses).size > 1;
    conditions.set(
      condition.type,
      isTwofold ? { ...condition, status: 'Unknown', twofold: [...new Set(statuses)] } : condition,
    );
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
export function conditionFacts({ type, status, reason, message, twofold }: ObjectCondition): string {
  if (twofold !== undefined) return twofold.map((one) => `${type}=${one}`).join(' and ');
  const why = [reason, message].filter((part) => part !== null && part !== '').join(': ');
  return why === '' ? `${type}=${status}` : `${type}=${status} (${why})`;
}

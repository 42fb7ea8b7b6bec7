import { conditionsOf } from '../conditions.ts';
import { countAt, flagAt, listAt, type ObjectFields, textAt } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';

/**
 * Its condition Available has a fourth status, Degraded, where some of its pods are ready. Available speaks of the pods
 * that are there: Reconciled, which the common conditions read beside it, says whether they are those that are wanted.
 */
function judgeMonitoring(object: ObjectFields): Ruling | null {
  if (flagAt(object, 'spec.paused')) return ruling('suspended', 'paused', 'spec.paused is true');
  const impaired = listAt(object, 'status.conditions').find(
    (entry) => textAt(entry, 'type') === 'Available' && textAt(entry, 'status') === 'Degraded',
  );
  if (impaired !== undefined)
    return ruling(
      'degraded',
      'impaired',
      `Available=Degraded (${textAt(impaired, 'message') ?? 'no message'})`,
    );
  const conditions = conditionsOf(object);
  if (conditions.get('Available')?.status === 'True') {
    const unmet = podsUnmet(object);
    if (unmet !== null) return unmet;
  }
  return conditions.get('Available')?.status === 'True' && !conditions.has('Reconciled')
    ? ruling('progressing', 'reconciling', 'the condition Reconciled is missing')
    : null;
}

/** Available speaks of pods that are ready, old ones too. Each shard has as many copies as are asked for. */
function podsUnmet(object: ObjectFields): Ruling | null {
  if (textAt(object, 'spec.mode') === 'DaemonSet') return null;
  const want = (countAt(object, 'spec.replicas') ?? 1) * Math.max(1, countAt(object, 'spec.shards') ?? 1);
  const [total, updated, available, unavailable] = ['', 'updated', 'available', 'unavailable'].map((part) =>
    countAt(object, `status.${part === '' ? 'replicas' : `${part}Replicas`}`),
  );
  const count = { have: available ?? want, want };
  const shard = listAt(object, 'status.shardStatuses').find(
    (its) => (countAt(its, 'unavailableReplicas') ?? 0) > 0,
  );
  if (shard !== undefined)
    return ruling(
      'progressing',
      'not_available',
      `shard ${textAt(shard, 'shardID')} has unavailable replicas`,
    );
  if (want === 0 && total === 0)
    return ruling('stopped', 'scaled_to_zero', '0 replicas wanted, none observed');
  if ((updated ?? want) < want)
    return ruling('progressing', 'updating', `${updated} of ${want} replicas are updated`, count);
  if ((total ?? want) !== want)
    return ruling('progressing', 'scaling', `${total} replicas, ${want} wanted`, count);
  if (count.have < want || (unavailable ?? 0) > 0)
    return ruling('progressing', 'not_available', `${count.have} of ${want} replicas are available`, count);
  return null;
}

export const PROMETHEUS: readonly CustomFamily[] = [
  {
    group: 'monitoring.coreos.com',
    kinds: ['Alertmanager', 'Prometheus', 'PrometheusAgent', 'ThanosRuler'],
    judge: judgeMonitoring,
  },
];

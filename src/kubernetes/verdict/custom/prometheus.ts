import { conditionsOf } from '../conditions.ts';
import { flagAt, listAt, type ObjectFields, textAt } from '../fields.ts';
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
  return conditions.get('Available')?.status === 'True' && !conditions.has('Reconciled')
    ? ruling('progressing', 'reconciling', 'the condition Reconciled is missing')
    : null;
}

export const PROMETHEUS: readonly CustomFamily[] = [
  {
    group: 'monitoring.coreos.com',
    kinds: ['Alertmanager', 'Prometheus', 'PrometheusAgent', 'ThanosRuler'],
    judge: judgeMonitoring,
  },
];

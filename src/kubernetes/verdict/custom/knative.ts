import { conditionFacts, conditionsOf } from '../conditions.ts';
import { type ObjectFields, textAt } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { observedUnmet } from './reading.ts';

/** Knative says Unknown while it works, so that False is the end of an attempt, whatever its reason is called. */
function judgeServing(object: ObjectFields): Ruling | null {
  const proof = conditionsOf(object).get('Ready');
  if (proof?.status === 'True') return newestUnmet(object);
  if (proof?.status !== 'False') return null;
  return observedUnmet(object) ?? ruling('failed', 'reconcile_failed', conditionFacts(proof));
}

/** Ready, and the newest revision is not the one that is. */
function newestUnmet(object: ObjectFields): Ruling | null {
  const [newest, ready] = ['status.latestCreatedRevisionName', 'status.latestReadyRevisionName'].map((path) =>
    textAt(object, path),
  );
  return newest && ready && newest !== ready
    ? ruling('progressing', 'updating', `revision ${newest} is the newest, ${ready} is ready`)
    : null;
}

export const KNATIVE: readonly CustomFamily[] = [
  {
    group: 'serving.knative.dev',
    kinds: ['Service', 'Route', 'Configuration', 'Revision'],
    judge: judgeServing,
  },
];

import { conditionFacts, conditionsOf } from '../conditions.ts';
import { countAt, fieldsAt, flagAt, listAt, type ObjectFields, own, textAt } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';
import { judgeByConditions } from './by-conditions.ts';
import type { CustomFamily } from './family.ts';
import { observedUnmet } from './reading.ts';

/** Flux follows the common conditions. Before its first look it writes the observed generation -1, and no condition. */
function judgeFlux(object: ObjectFields): Ruling {
  if (flagAt(object, 'spec.suspend')) return ruling('suspended', 'paused', 'spec.suspend is true');
  if (own(fieldsAt(object, 'status'), 'observedGeneration') === -1)
    return ruling('progressing', 'not_observed', 'status.observedGeneration is -1');
  const ruled = judgeByConditions(object);
  return ruled.verdict === 'ready' ? (revisionUnmet(object) ?? ruled) : ruled;
}

/** Ready speaks of the last try; the revision that is in force is another word. */
function revisionUnmet(object: ObjectFields): Ruling | null {
  const [tried, applied] = ['status.lastAttemptedRevision', 'status.lastAppliedRevision'].map((path) =>
    textAt(object, path),
  );
  return tried && applied && tried !== applied
    ? ruling('progressing', 'out_of_sync', `${tried} was tried, ${applied} is applied`)
    : null;
}

/** A source that is kept is older than what it is a copy of. */
function judgeSource(object: ObjectFields): Ruling {
  const ruled = judgeFlux(object);
  if (ruled.reason !== null && ruled.reason !== 'impaired') return ruled;
  const conditions = conditionsOf(object);
  const [outdated, stored] = ['ArtifactOutdated', 'ArtifactInStorage'].map((type) => conditions.get(type));
  if (outdated?.status === 'True') return ruling('progressing', 'reconciling', conditionFacts(outdated));
  return ruled.reason === null && stored !== undefined && stored.status !== 'True'
    ? ruling('progressing', 'not_yet_ready', conditionFacts(stored))
    : ruled;
}

/**
 * A release that failed and was put back is Ready=False with a reason that says that putting it back went well. Ready
 * may stay True over tests that are told not to count, and over a release whose last try failed.
 */
function judgeRelease(object: ObjectFields): Ruling {
  const ruled = judgeFlux(object);
  const conditions = conditionsOf(object);
  const [released, remediated, tested] = ['Released', 'Remediated', 'TestSuccess'].map((type) =>
    conditions.get(type),
  );
  const isUnderWay = conditions.get('Reconciling')?.status === 'True' || observedUnmet(object) !== null;
  if (ruled.verdict === 'suspended' || ruled.verdict === 'unknown' || isUnderWay) return ruled;
  if (remediated?.status === 'True' && conditions.get('Ready')?.status !== 'True')
    return /^Rollback/.test(remediated.reason ?? '')
      ? ruling('degraded', 'rolled_back', conditionFacts(remediated))
      : ruling('failed', 'reconcile_failed', conditionFacts(remediated));
  const tries = released?.status === 'True' ? [tested] : [released, remediated, tested];
  const bad = tries.find((its) => its?.status === 'False');
  if (bad !== undefined && ruled.verdict !== 'failed')
    return ruling(
      conditions.get('Ready')?.status === 'True' ? 'degraded' : 'failed',
      'reconcile_failed',
      conditionFacts(bad),
    );
  if (ruled.verdict !== 'ready') return ruled;
  if (remediated?.status === 'True') return ruling('degraded', 'rolled_back', conditionFacts(remediated));
  const failures = countAt(object, 'status.failures') ?? 0;
  if (failures > 0) return ruling('degraded', 'impaired', `${failures} failures since its last success`);
  const [newest] = listAt(object, 'status.history');
  const word = newest === undefined ? null : textAt(newest, 'status');
  return word === null || word === 'deployed' || word === 'superseded'
    ? ruled
    : ruling(
        /^(?:pending|uninstalling)/.test(word) ? 'progressing' : 'degraded',
        /^(?:pending|uninstalling)/.test(word) ? 'reconciling' : 'reconcile_failed',
        `the newest release is ${word}`,
      );
}

const KINDS: Readonly<Record<string, readonly string[]>> = {
  helm: ['HelmRelease'],
  image: ['ImagePolicy', 'ImageRepository', 'ImageUpdateAutomation'],
  kustomize: ['Kustomization'],
  notification: ['Alert', 'Provider', 'Receiver'],
  source: ['Bucket', 'ExternalArtifact', 'GitRepository', 'HelmChart', 'HelmRepository', 'OCIRepository'],
};

export const FLUX: readonly CustomFamily[] = Object.entries(KINDS).map(([name, kinds]) => ({
  group: `${name}.toolkit.fluxcd.io`,
  kinds,
  judge: name === 'helm' ? judgeRelease : name === 'source' ? judgeSource : judgeFlux,
}));

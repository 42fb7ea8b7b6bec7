import { conditionFacts, conditionsOf } from '../conditions.ts';
import { isThere, listAt, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { ready, ruling } from '../verdict.ts';
import type { KindLadder } from './ladder-context.ts';

export const judgeNamespace: KindLadder = (namespace) => {
  const phase = textAt(namespace, 'status.phase');
  return climb(
    [
      () => (phase ? null : ruling('progressing', 'not_observed', 'status.phase is missing')),
      () => (phase === 'Terminating' ? ruling('progressing', 'being_deleted', 'phase Terminating') : null),
      () => (phase === 'Active' ? null : ruling('unknown', { word: phase ?? '' }, `phase ${phase}`)),
    ],
    ready('phase Active'),
  );
};

export const judgeResourceQuota: KindLadder = (quota) =>
  isThere(quota, 'status.hard')
    ? ready('its use is counted')
    : ruling('progressing', 'not_observed', 'condition 1 of 1: status.hard is missing');

export const judgeSigningRequest: KindLadder = (request) => {
  const conditions = conditionsOf(request);
  const refused = [conditions.get('Denied'), conditions.get('Failed')].find((c) => c?.status === 'True');
  return climb(
    [
      () => (refused === undefined ? null : ruling('failed', 'certificate_denied', conditionFacts(refused))),
      () =>
        conditions.get('Approved')?.status === 'True'
          ? null
          : ruling('progressing', 'certificate_pending', 'it is not approved yet'),
      () =>
        textAt(request, 'status.certificate')
          ? null
          : ruling('progressing', 'certificate_pending', 'it is not signed yet'),
    ],
    ready('approved and signed'),
  );
};

export const judgeFlowSchema: KindLadder = (schema) => {
  const dangling = conditionsOf(schema).get('Dangling');
  if (dangling === undefined)
    return ruling('progressing', 'not_observed', 'condition 1 of 2: Dangling is missing');
  return dangling.status === 'False'
    ? ready('Dangling=False')
    : ruling('degraded', 'impaired', `condition 2 of 2: ${conditionFacts(dangling)}`);
};

export const judgeResourceClaim: KindLadder = (claim) =>
  isThere(claim, 'status.allocation')
    ? ready(`allocated, reserved for ${listAt(claim, 'status.reservedFor').length}`)
    : ruling('progressing', 'not_scheduled', 'condition 1 of 1: status.allocation is missing');

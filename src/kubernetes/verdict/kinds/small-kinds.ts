import { conditionFacts, conditionsIn, conditionsOf } from '../conditions.ts';
import { fieldsAt, isThere, listAt, own, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { ready, ruling } from '../verdict.ts';
import type { KindLadder } from './ladder-context.ts';
import { quantity } from './quantity.ts';

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

/** It has no observed generation: its status names the limits that its use was counted against. */
export const judgeResourceQuota: KindLadder = (quota) => {
  const [wanted, counted] = [fieldsAt(quota, 'spec.hard'), fieldsAt(quota, 'status.hard')];
  const other = Object.keys(wanted).find((name) => !isSameQuantity(own(wanted, name), own(counted, name)));
  return climb(
    [
      () =>
        isThere(quota, 'status.hard')
          ? null
          : ruling('progressing', 'not_observed', 'status.hard is missing'),
      () =>
        other === undefined
          ? null
          : ruling('progressing', 'generation_behind', `${other} was counted against another limit`),
    ],
    ready('its use is counted'),
  );
};

function isSameQuantity(a: unknown, b: unknown): boolean {
  const [one, other] = [a, b].map((value) =>
    typeof value === 'number' ? value : quantity(typeof value === 'string' ? value : null),
  );
  return one === null || other === null ? a === b : one === other;
}

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

/** It is as it is written, and the API server may say of its expressions that they do not fit what they judge. */
export const judgeAdmissionPolicy: KindLadder = (policy) => {
  const warned = listAt(policy, 'status.typeChecking.expressionWarnings').length;
  return warned > 0
    ? ruling('degraded', 'impaired', `status.typeChecking warns of ${warned} expressions`)
    : ready('no expression is warned of', 'stored');
};

export const judgeFlowSchema: KindLadder = (schema) => {
  const dangling = conditionsOf(schema).get('Dangling');
  if (dangling === undefined)
    return ruling('progressing', 'not_observed', 'condition 1 of 2: Dangling is missing');
  return dangling.status === 'False'
    ? ready('Dangling=False')
    : ruling('degraded', 'impaired', `condition 2 of 2: ${conditionFacts(dangling)}`);
};

export const judgeResourceClaim: KindLadder = (claim) => {
  const sick = listAt(claim, 'status.devices')
    .map((device) => conditionsIn(listAt(device, 'conditions')).get('Ready'))
    .find((its) => its !== undefined && its.status !== 'True');
  return climb(
    [
      () =>
        isThere(claim, 'status.allocation')
          ? null
          : ruling('progressing', 'not_scheduled', 'status.allocation is missing'),
      () => (sick === undefined ? null : ruling('degraded', 'impaired', `a device: ${conditionFacts(sick)}`)),
    ],
    ready(`allocated, reserved for ${listAt(claim, 'status.reservedFor').length}`),
  );
};

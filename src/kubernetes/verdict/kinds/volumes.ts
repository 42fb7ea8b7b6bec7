import { conditionFacts, conditionsOf } from '../conditions.ts';
import { namesTrouble } from '../custom/condition-names.ts';
import { fieldsAt, flagAt, isThere, type ObjectFields, textAt } from '../fields.ts';
import type { ObjectIdentity } from '../identity.ts';
import { climb } from '../ladder.ts';
import type { Objects } from '../objects.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { KindLadder } from './ladder-context.ts';
import { quantity } from './quantity.ts';

const RESIZING = ['Resizing', 'FileSystemResizePending', 'ModifyingVolume'] as const;
const RESIZE_FAILED = ['ControllerResizeError', 'NodeResizeError', 'ModifyVolumeError'] as const;

export const judgeClaim: KindLadder = (claim, { identity, around }) => {
  const phase = textAt(claim, 'status.phase');
  const conditions = conditionsOf(claim);
  const active = (types: readonly string[]) =>
    types.map((type) => conditions.get(type)).find((condition) => condition?.status === 'True');
  const trouble = [...conditions.values()].find(
    ({ type, status }) => status === 'True' && namesTrouble(type),
  );
  const [resizing, broken] = [active(RESIZING), active(RESIZE_FAILED)];
  return climb(
    [
      () => (phase ? null : ruling('progressing', 'not_observed', 'status.phase is missing')),
      () => (phase === 'Lost' ? ruling('failed', 'volume_lost', 'phase Lost') : null),
      () => (phase === 'Pending' ? ruling('progressing', 'volume_pending', 'phase Pending') : null),
      () => (phase === 'Bound' ? null : ruling('unknown', { word: phase ?? '' }, `phase ${phase}`)),
      () =>
        broken === undefined ? null : ruling('degraded', 'volume_resize_failed', conditionFacts(broken)),
      () =>
        resizing === undefined ? null : ruling('progressing', 'volume_resizing', conditionFacts(resizing)),
      () => (trouble === undefined ? null : ruling('degraded', 'impaired', conditionFacts(trouble))),
      () => volumeUnmet(claim, identity, around),
      () => sizeUnmet(claim),
      () => classUnmet(claim),
    ],
    ready(`phase Bound, volume ${textAt(claim, 'spec.volumeName') ?? 'unnamed'}`),
  );
};

/** More volumes of one name are no cluster. */
const MOST_VOLUMES = 20;

/** Its volume in the input, linked by the UID of the claim that it names, must say that it is bound too. */
function volumeUnmet(claim: ObjectFields, { uid }: ObjectIdentity, around: Objects): Ruling | null {
  const name = textAt(claim, 'spec.volumeName');
  if (name === null || uid === null) return null;
  for (const volume of around.named('PersistentVolume', name).slice(0, MOST_VOLUMES)) {
    const phase = textAt(volume, 'status.phase');
    if (textAt(volume, 'spec.claimRef.uid') !== uid || phase === 'Bound') continue;
    const facts = `phase Bound, and volume ${name} is ${phase ?? 'not observed'}`;
    return phase === 'Failed'
      ? ruling('degraded', 'volume_failed', facts)
      : ruling('unknown', 'contradictory', facts);
  }
  return null;
}

/** No condition says that a resize has not begun, or that it was given up: the sizes and its own status do. */
function sizeUnmet(claim: ObjectFields): Ruling | null {
  const [wanted, given] = ['spec.resources.requests.storage', 'status.capacity.storage'].map((path) =>
    textAt(claim, path),
  );
  const statuses = fieldsAt(claim, 'status.allocatedResourceStatuses');
  const step = textAt(statuses, 'storage');
  const facts = `${given ?? 'nothing'} of ${wanted ?? 'nothing'}${step === null ? '' : `, ${step}`}`;
  if (step !== null && /(?:Failed|Infeasible)$/.test(step))
    return ruling('degraded', 'volume_resize_failed', facts);
  const allocated = textAt(claim, 'status.allocatedResources.storage');
  const have = quantity(given ?? null);
  const isSmaller = [wanted ?? null, allocated]
    .map(quantity)
    .some((want) => want !== null && have !== null && have < want);
  return isSmaller || step !== null ? ruling('progressing', 'volume_resizing', facts) : null;
}

/** A volume keeps the attributes that it had while others are asked for. */
function classUnmet(claim: ObjectFields): Ruling | null {
  const [wanted, current] = ['spec.volumeAttributesClassName', 'status.currentVolumeAttributesClassName'].map(
    (path) => textAt(claim, path),
  );
  const step = textAt(claim, 'status.modifyVolumeStatus.status');
  const facts = `volume attributes class ${current ?? 'none'}, ${wanted ?? 'none'} wanted${step === null ? '' : `, ${step}`}`;
  if (step === 'Infeasible') return ruling('degraded', 'volume_change_refused', facts);
  const isOther = wanted !== null && wanted !== '' && wanted !== current;
  return step !== null || isOther ? ruling('progressing', 'volume_changing', facts) : null;
}

export const judgeVolume: KindLadder = (volume) => {
  const phase = textAt(volume, 'status.phase');
  const message = textAt(volume, 'status.message');
  const facts = `phase ${phase}${message ? `: ${message}` : ''}`;
  return climb(
    [
      () => (phase ? null : ruling('progressing', 'not_observed', 'status.phase is missing')),
      () => (phase === 'Pending' ? ruling('progressing', 'volume_pending', facts) : null),
      () => (phase === 'Failed' ? ruling('failed', 'volume_failed', facts) : null),
      () => (phase === 'Released' ? ruling('stopped', 'volume_released', facts) : null),
      () =>
        phase === 'Bound' || phase === 'Available' ? null : ruling('unknown', { word: phase ?? '' }, facts),
    ],
    ready(facts),
  );
};

export const judgeVolumeAttachment: KindLadder = (attachment) => {
  const error =
    textAt(attachment, 'status.attachError.message') ?? textAt(attachment, 'status.detachError.message');
  return climb(
    [
      () =>
        isThere(attachment, 'status') ? null : ruling('progressing', 'not_observed', 'status is missing'),
      () => (error === null ? null : ruling('failed', 'volume_failed', error)),
      () =>
        flagAt(attachment, 'status.attached')
          ? null
          : ruling('progressing', 'volume_pending', 'not attached'),
    ],
    ready('attached'),
  );
};

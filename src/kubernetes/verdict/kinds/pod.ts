import { conditionFacts, conditionsOf } from '../conditions.ts';
import { listAt, type ObjectFields, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { WAITING_WORDS } from '../reasons/words.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { KindLadder } from './ladder-context.ts';

export const judgePod: KindLadder = (object) => {
  const phase = textAt(object, 'status.phase');
  const conditions = conditionsOf(object);
  const isReady = conditions.get('Ready');
  const containers = ['initContainerStatuses', 'containerStatuses'].flatMap((list) =>
    listAt(object, `status.${list}`),
  );
  const restarts = textAt(object, 'spec.restartPolicy') ?? 'Always';
  if (phase === 'Succeeded') return ready('phase Succeeded');
  return climb(
    [
      () => (phase === null ? ruling('progressing', 'not_observed', 'status.phase is missing') : null),
      () =>
        ['Pending', 'Running', 'Failed'].includes(phase ?? '')
          ? null
          : ruling('unknown', phase === 'Unknown' ? 'node_lost' : { word: phase ?? '' }, `phase ${phase}`),
      () => (phase === 'Failed' ? ruling('failed', 'exited', 'phase Failed') : null),
      () => containers.map(waitingUnmet).find((unmet) => unmet !== null) ?? null,
      () => (phase === 'Pending' ? ruling('progressing', 'not_scheduled', 'phase Pending') : null),
      () =>
        isReady?.status === 'True'
          ? null
          : ruling(
              'progressing',
              'not_ready',
              isReady === undefined ? 'no condition Ready' : conditionFacts(isReady),
            ),
      () =>
        restarts === 'Always' ? null : ruling('progressing', 'running_to_end', `restartPolicy ${restarts}`),
    ],
    ready('phase Running, Ready=True'),
  );
};

function waitingUnmet(container: ObjectFields): Ruling | null {
  const word = textAt(container, 'state.waiting.reason');
  if (word === null) return null;
  const reason = Object.hasOwn(WAITING_WORDS, word) ? WAITING_WORDS[word] : undefined;
  const facts = `container ${textAt(container, 'name')} waits: ${word}`;
  if (reason === undefined) return ruling('unknown', { word }, facts);
  const isUnderWay = reason === 'creating' || reason === 'initialising';
  return ruling(isUnderWay ? 'progressing' : 'failed', reason, facts);
}

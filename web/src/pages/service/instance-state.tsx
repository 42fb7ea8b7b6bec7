import type { InstanceView } from '../../../../src/contract/answers/views.ts';
import { pastLabel } from '../../../../src/contract/presentation/words.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import { StateMark } from '../../parts/state-mark.tsx';

interface InstanceStateProps {
  readonly instance: InstanceView;
  readonly isLast: boolean;
  readonly isPast: boolean;
  /** Its revision has failed, or ran and is not ready any more: whatever it does, it is not on its way. */
  readonly isGivenUp: boolean;
}

/** The mark and the word of an instance, as it is or as it was. */
export function InstanceState({ instance, isLast, isPast, isGivenUp }: InstanceStateProps) {
  const [state, word] = stateOf(instance);
  const isOnItsWay = state === 'starting' || state === 'waiting_for_worker';
  const shown = isLast ? 'unknown' : isGivenUp && isOnItsWay ? 'degraded' : state;
  return (
    <span className={`badge tone-${shown}`}>
      <StateMark state={shown} />
      {isLast || isPast ? pastLabel(word) : word}
    </span>
  );
}

/** The mark and the word of an instance. */
function stateOf({ phase, ready }: InstanceView): readonly [State, string] {
  switch (phase) {
    case 'running':
      return ready ? ['running', 'Ready'] : ['starting', 'Not ready'];
    case 'pending':
      return ['waiting_for_worker', 'Pending'];
    case 'starting':
      return ['starting', 'Starting'];
    case 'stopping':
      return ['stopping', 'Stopping'];
    case 'exited':
      return ['failed', 'Exited'];
    case 'failed':
      return ['failed', 'Failed'];
    case 'unknown':
      return ['unknown', 'Not known'];
  }
}

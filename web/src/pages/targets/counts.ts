import type { Claim } from '../../../../src/contract/claim.ts';
import { nameOf, targetOf } from '../../../../src/contract/names.ts';
import { shortWordOf } from '../../../../src/contract/presentation/words.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { downWords, isDown } from '../services/down.ts';

/** The groups in which services are counted, in the order in which they are shown; each has the mark of its first state. */
const GROUPS: readonly { readonly mark: State; readonly word: string; readonly states: readonly State[] }[] =
  [
    { mark: 'failed', word: 'failed', states: ['failed'] },
    { mark: 'degraded', word: 'degraded', states: ['degraded'] },
    { mark: 'unknown', word: 'unknown', states: ['unknown'] },
    {
      mark: 'starting',
      word: 'in progress',
      states: [
        'accepted',
        'waiting_for_worker',
        'building',
        'artifact_ready',
        'applying_runtime_state',
        'starting',
        'cancelling',
        'stopping',
      ],
    },
    { mark: 'running', word: 'running', states: ['running'] },
    { mark: 'stopped', word: 'stopped', states: ['stopped', 'cancelled'] },
  ];

/** Services of a target that are in one group, and the part of the list that shows them. */
export interface ServiceCount {
  readonly mark: State;
  readonly word: string;
  readonly count: number;
  readonly address: string;
  /** The state when the target was last heard: it is not known now. */
  readonly isLastKnown: boolean;
}

/** A service and what the page may say of it at this instant. */
export interface ServiceAtTarget {
  readonly claim: Claim;
  readonly claimView: Pick<ClaimView, 'state' | 'was'>;
  /** The revision that is proven to serve; null: none is. */
  readonly serving: number | null;
  readonly isNothingServing: boolean;
  /** It answers between two exits. */
  readonly isUpForNow: boolean;
}

/** The services of each target. */
export function byTarget(shown: Iterable<ServiceAtTarget>): ReadonlyMap<string, readonly ServiceAtTarget[]> {
  const found = new Map<string, ServiceAtTarget[]>();
  for (const one of shown) {
    const target = targetOf(one.claim.service);
    const list = found.get(target);
    if (list === undefined) found.set(target, [one]);
    else list.push(one);
  }
  return found;
}

/**
 * The services of one target by state; groups without one are left out. At a silent target nothing is known to be so now
 * (S2): each is counted under what it was when last seen, a failure too. What is proven without a sight of it, as a build
 * that waits there, was not seen: what served then was.
 */
export function serviceCounts(
  target: string,
  services: readonly ServiceAtTarget[],
  heard: 'now' | 'earlier' | 'never',
): readonly ServiceCount[] {
  const all = `/?target=${encodeURIComponent(target)}`;
  const last = { mark: 'unknown', address: all, isLastKnown: true } as const;
  if (heard === 'never')
    return services.length === 0 ? [] : [{ ...last, count: services.length, word: 'never seen there' }];
  if (heard === 'earlier')
    return tally(services.map(lastSeenAs)).map(([state, count]) => ({
      ...{ ...last, count },
      word: state === 'unknown' ? 'unknown' : `${shortWordOf(state)} when last seen`,
    }));
  const states = tally(services.map(({ claimView }) => claimView.state));
  return GROUPS.flatMap(({ mark, word, states: own }) => {
    const present = states.filter(([state]) => own.includes(state));
    const [only] = present;
    if (only === undefined) return [];
    const filter = present.length === 1 ? `state=${only[0]}` : `show=${encodeURIComponent(word)}`;
    const count = present.reduce((sum, [, n]) => sum + n, 0);
    return [{ mark, word, count, address: `${all}&${filter}`, isLastKnown: false }];
  });
}

function lastSeenAs({ claim, claimView: { state, was } }: ServiceAtTarget): State {
  if (was !== null) return was.state;
  const isSeen = claim.freshness.freshForMs !== null;
  return !isSeen && (claim.serving ?? claim.lastServing) !== null ? 'running' : state;
}

function tally(states: readonly State[]): readonly (readonly [State, number])[] {
  const found = new Map<State, number>();
  for (const state of states) found.set(state, (found.get(state) ?? 0) + 1);
  return [...found];
}

/**
 * The services of a target that failed or are degraded: first those of which nothing serves, then failed ones; none while the
 * target is silent.
 */
export function troubledServices(
  services: readonly ServiceAtTarget[],
  isSilent: boolean,
): readonly ServiceAtTarget[] {
  if (isSilent) return [];
  const of = (wanted: State) => services.filter(({ claimView }) => claimView.state === wanted);
  const all = [...of('failed'), ...of('degraded')];
  return [...all.filter(isDown), ...all.filter((one) => !isDown(one))];
}

/** `hello failed`, `1 failed, 1 degraded: 1 serves nothing`. */
export function troubledWords(troubled: readonly ServiceAtTarget[]): string {
  const [only] = troubled;
  if (only === undefined) return '';
  if (troubled.length === 1)
    return `${nameOf(only.claim.service)} ${only.claimView.state === 'failed' ? 'failed' : 'is degraded'}`;
  const counted = (['failed', 'degraded'] as const).flatMap((state) => {
    const count = troubled.filter(({ claimView }) => claimView.state === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  const down = downWords(troubled);
  return `${counted.join(', ')}${down === '' ? '' : `: ${down}`}`;
}

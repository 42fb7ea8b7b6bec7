import type { Alive, InstanceLife, InstanceState, Running } from './instance-state.ts';
import { afterProbe, type ProbeResult } from './readiness.ts';
import type { Exit } from './record.ts';
import { restartPause, type Timing } from './timing.ts';

/** Events of an earlier life name another `process` and change nothing. `at` is monotonic, `now` is the wall clock. */
export type InstanceEvent<P> =
  | { readonly kind: 'began' }
  | {
      readonly kind: 'adopted';
      readonly found: { readonly process: P; readonly isWatched: boolean } | Exit | null;
      readonly at: number;
      readonly now: string;
    }
  | { readonly kind: 'pause_over' }
  | { readonly kind: 'port_chosen'; readonly port: number }
  /** Everything is ready for the start, and the record is about to be saved. */
  | { readonly kind: 'prepared' }
  | {
      readonly kind: 'started';
      readonly process: P;
      readonly isWatched: boolean;
      readonly at: number;
      readonly now: string;
    }
  | { readonly kind: 'start_failed'; readonly message: string }
  /** The start ended before anything was started. */
  | { readonly kind: 'start_dropped' }
  | { readonly kind: 'observed'; readonly process: P; readonly isAlive: boolean; readonly at: number }
  | { readonly kind: 'ended'; readonly process: P; readonly exit: Exit; readonly at: number }
  /** A probe has a result, or the last answer has counted for its time (`countsMs`) and there is no other. */
  | {
      readonly kind: 'probed';
      readonly process: P;
      readonly result: ProbeResult;
      readonly at: number;
      /** The same instant on the awake clock. */
      readonly awakeAt: number;
      readonly countsMs: number;
    }
  | { readonly kind: 'lived_long'; readonly process: P }
  | { readonly kind: 'stop' }
  | { readonly kind: 'drained' }
  | { readonly kind: 'release' };

/** Work for the shell, in this order. */
export type InstanceEffect<P> =
  | { readonly kind: 'launch' }
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'probe'; readonly process: P }
  | { readonly kind: 'expect_long_life'; readonly process: P }
  /** The next answer has to come before this one no longer counts. */
  | { readonly kind: 'expect_answer'; readonly process: P; readonly withinMs: number }
  | { readonly kind: 'terminate'; readonly alive: Alive<P> }
  | { readonly kind: 'end_leftovers' }
  | { readonly kind: 'changed' }
  | { readonly kind: 'save' }
  | { readonly kind: 'gone' };

interface InstanceStep<P> {
  readonly life: InstanceLife<P>;
  readonly effects: readonly InstanceEffect<P>[];
}

const CHANGED = [{ kind: 'changed' }, { kind: 'save' }] as const;
const LEFTOVERS = { kind: 'end_leftovers' } as const;

/** Pure. An event that the state does not expect changes nothing: it comes from a timer or a probe that is too late. */
export function transition<P>(
  life: InstanceLife<P>,
  event: InstanceEvent<P>,
  timing: Timing,
): InstanceStep<P> {
  const { facts, state } = life;
  if (state.kind === 'released') return { life, effects: [] };
  if (event.kind === 'release')
    return { life: { facts, state: { kind: 'released', was: state } }, effects: [] };
  switch (state.kind) {
    case 'recorded':
      if (event.kind === 'began') return to(facts, { kind: 'starting' }, { kind: 'launch' });
      if (event.kind === 'adopted') return adopted(life, state.isRetiring, event, timing);
      if (event.kind === 'stop') return to(facts, { ...state, isRetiring: true }, ...CHANGED);
      break;
    case 'waiting':
      if (event.kind === 'pause_over') return to(facts, { kind: 'starting' }, { kind: 'launch' });
      if (event.kind === 'stop') return to(facts, { kind: 'draining', alive: null }, ...CHANGED);
      break;
    case 'starting':
    case 'abandoned':
      return whileStarting(life, state, event, timing);
    case 'running':
      return whileRunning(life, state, event, timing);
    case 'draining':
      if (event.kind === 'drained') return state.alive === null ? gone(facts) : ending(facts, state.alive);
      if (state.alive !== null) {
        const alive = whileStopping(state.alive, event);
        return alive === null ? gone(facts, LEFTOVERS) : to(facts, { ...state, alive });
      }
      break;
    case 'ending': {
      const alive = whileStopping(state.alive, event);
      return alive === null ? gone(facts, LEFTOVERS) : to(facts, { ...state, alive });
    }
    case 'gone':
      break;
  }
  return { life, effects: [] };
}

type InstanceFacts<P> = InstanceLife<P>['facts'];
type EventOf<P, K> = Extract<InstanceEvent<P>, { readonly kind: K }>;

const to = <P>(
  facts: InstanceFacts<P>,
  state: InstanceState<P>,
  ...effects: readonly InstanceEffect<P>[]
): InstanceStep<P> => ({ life: { facts, state }, effects });

const gone = <P>(facts: InstanceFacts<P>, ...effects: readonly InstanceEffect<P>[]): InstanceStep<P> =>
  to(facts, { kind: 'gone' }, ...effects, { kind: 'gone' });

const ending = <P>(facts: InstanceFacts<P>, alive: Alive<P>, ...effects: readonly InstanceEffect<P>[]) =>
  to(facts, { kind: 'ending', alive }, ...effects, { kind: 'terminate', alive });

function adopted<P>(
  { facts }: InstanceLife<P>,
  isRetiring: boolean,
  { found, at, now }: EventOf<P, 'adopted'>,
  timing: Timing,
): InstanceStep<P> {
  const { startedAt, lastExit } = facts;
  const ageMs = startedAt === null ? 0 : Math.max(0, Date.parse(now) - Date.parse(startedAt));
  if (found !== null && 'process' in found) {
    const alive = { ...found, upAt: at - ageMs, aliveAt: at };
    const recorded = { ...facts, startedAt: startedAt ?? now };
    return isRetiring
      ? ending(recorded, alive)
      : to(recorded, running(alive), { kind: 'probe', process: found.process });
  }
  if (found !== null) {
    const after = afterExit(facts, found, ageMs, timing);
    return isRetiring ? gone(after, LEFTOVERS) : paused(after, timing, LEFTOVERS);
  }
  // Its process was never recorded, or had ended: something that it left may run all the same (F117).
  if (isRetiring) return gone(facts, LEFTOVERS);
  return lastExit === null
    ? to(facts, { kind: 'starting' }, LEFTOVERS, { kind: 'launch' })
    : to(facts, { kind: 'waiting' }, LEFTOVERS, {
        kind: 'pause',
        ms: restartPause(timing, facts.shortLives),
      });
}

function whileStarting<P>(
  life: InstanceLife<P>,
  state: { readonly kind: 'starting' | 'abandoned' },
  event: InstanceEvent<P>,
  timing: Timing,
): InstanceStep<P> {
  const { facts } = life;
  const isAbandoned = state.kind === 'abandoned';
  switch (event.kind) {
    case 'port_chosen':
      return to({ ...facts, port: event.port }, state);
    case 'prepared':
      return to(
        { ...facts, restarts: facts.startedAt === null ? facts.restarts : facts.restarts + 1 },
        state,
      );
    case 'started': {
      const { process, isWatched, at, now } = event;
      const alive = { process, isWatched, upAt: at, aliveAt: at };
      const recorded = { ...facts, startedAt: now };
      if (isAbandoned) return ending(recorded, alive, ...CHANGED);
      return to(recorded, running(alive), { kind: 'probe', process }, ...CHANGED, {
        kind: 'expect_long_life',
        process,
      });
    }
    case 'start_failed': {
      const after = afterExit(facts, { kind: 'not_started', message: event.message }, 0, timing);
      return isAbandoned ? gone(after) : paused(after, timing);
    }
    case 'start_dropped':
      return isAbandoned ? gone(facts) : { life, effects: [] };
    case 'stop':
      return isAbandoned ? { life, effects: [] } : to(facts, { kind: 'abandoned' }, ...CHANGED);
    default:
      return { life, effects: [] };
  }
}

function whileRunning<P>(
  life: InstanceLife<P>,
  state: Running<P>,
  event: InstanceEvent<P>,
  timing: Timing,
): InstanceStep<P> {
  const { facts } = life;
  const same: InstanceStep<P> = { life, effects: [] };
  if (event.kind === 'stop') {
    const { process, isWatched, upAt, aliveAt } = state;
    return to(facts, { kind: 'draining', alive: { process, isWatched, upAt, aliveAt } }, ...CHANGED);
  }
  if (!('process' in event) || event.process !== state.process) return same;
  switch (event.kind) {
    case 'observed':
      if (event.isAlive) return to(facts, { ...state, aliveAt: event.at });
      if (state.isWatched) return same;
      return paused(
        afterExit(facts, { kind: 'unwatched' }, event.at - state.upAt, timing),
        timing,
        LEFTOVERS,
      );
    case 'ended':
      return paused(afterExit(facts, event.exit, event.at - state.upAt, timing), timing, LEFTOVERS);
    case 'probed':
      return probed(life, state, event, timing);
    case 'lived_long':
      return facts.shortLives === 0 ? same : to({ ...facts, shortLives: 0 }, state, { kind: 'save' });
    default:
      return same;
  }
}

function probed<P>(
  { facts }: InstanceLife<P>,
  state: Running<P>,
  { process, result, at, awakeAt, countsMs }: EventOf<P, 'probed'>,
  timing: Timing,
): InstanceStep<P> {
  const probes = afterProbe(state, { result, at, awakeAt, upMs: at - state.upAt, countsMs }, timing);
  const isNews = JSON.stringify(probes.readiness) !== JSON.stringify(state.readiness);
  const { readiness, answeredAt } = probes;
  const isAnswer = answeredAt === awakeAt && readiness.kind === 'ready' && readiness.by !== 'staying_alive';
  return to(
    facts,
    { ...state, ...probes },
    ...(isAnswer ? [{ kind: 'expect_answer', process, withinMs: countsMs } as const] : []),
    ...(isNews ? [{ kind: 'changed' } as const] : []),
  );
}

/** Null when it has ended. */
function whileStopping<P>(alive: Alive<P>, event: InstanceEvent<P>): Alive<P> | null {
  if (event.kind === 'ended' && event.process === alive.process) return null;
  if (event.kind !== 'observed' || event.process !== alive.process) return alive;
  if (event.isAlive) return { ...alive, aliveAt: event.at };
  return alive.isWatched ? alive : null;
}

const running = <P>(alive: Alive<P>): Running<P> => ({
  kind: 'running',
  ...alive,
  readiness: { kind: 'starting' },
  failures: 0,
  spokeHttp: false,
  hangUps: 0,
  answeredAt: Number.NEGATIVE_INFINITY,
  blindSince: null,
  elsewhere: null,
});

function afterExit<P>(
  facts: InstanceFacts<P>,
  exit: Exit,
  livedMs: number,
  { longLifeMs }: Timing,
): InstanceFacts<P> {
  const isShort = exit.kind === 'not_started' || livedMs < longLifeMs;
  return { ...facts, lastExit: exit, shortLives: isShort ? facts.shortLives + 1 : 1 };
}

function paused<P>(
  facts: InstanceFacts<P>,
  timing: Timing,
  ...effects: readonly InstanceEffect<P>[]
): InstanceStep<P> {
  const pause = { kind: 'pause', ms: restartPause(timing, facts.shortLives) } as const;
  return to(facts, { kind: 'waiting' }, ...effects, ...CHANGED, pause);
}

import type { Probes, Readiness } from './readiness.ts';
import type { InstanceRecord } from './record.ts';

/** A live instance. Instants are monotonic milliseconds. */
export interface Alive<P> {
  readonly process: P;
  /** The instance port reports its end; otherwise it is polled. */
  readonly isWatched: boolean;
  readonly upAt: number;
  /** The newest instant at which it was observed to be alive. */
  readonly aliveAt: number;
}

export interface Running<P> extends Alive<P>, Probes {
  readonly kind: 'running';
}

type Supervised<P> =
  /** On record, from a former agent or for the first time: whether it runs is not observed yet. */
  | { readonly kind: 'recorded'; readonly process: P | null; readonly isRetiring: boolean }
  /** It does not run, and is started when its pause is over. */
  | { readonly kind: 'waiting' }
  /** Its start is under way. */
  | { readonly kind: 'starting' }
  | Running<P>
  /** It is to stop, while its start is under way. */
  | { readonly kind: 'abandoned' }
  /** It is to stop when its requests are answered. */
  | { readonly kind: 'draining'; readonly alive: Alive<P> | null }
  /** It was signalled to end. */
  | { readonly kind: 'ending'; readonly alive: Alive<P> };

export type InstanceState<P> =
  | Supervised<P>
  /** It has ended for good. */
  | { readonly kind: 'gone' }
  /** Its supervision has ended; it is left as it was. */
  | { readonly kind: 'released'; readonly was: Supervised<P> | { readonly kind: 'gone' } };

/** An instance: the part of its record that every state has, and its state. */
export interface InstanceLife<P> {
  readonly facts: Omit<InstanceRecord<P>, 'process' | 'retiring'>;
  readonly state: InstanceState<P>;
}

/** An instance as a former agent, or the service, put it on record. */
export function lifeOf<P>({ process, retiring, ...facts }: InstanceRecord<P>): InstanceLife<P> {
  return { facts, state: { kind: 'recorded', process, isRetiring: retiring } };
}

export function recordOf<P>({ facts, state }: InstanceLife<P>): InstanceRecord<P> {
  switch (state.kind) {
    case 'released':
      return recordOf({ facts, state: state.was });
    case 'recorded':
      return { ...facts, process: state.process, retiring: state.isRetiring };
    case 'waiting':
    case 'starting':
      return { ...facts, process: null, retiring: false };
    case 'running':
      return { ...facts, process: state.process, retiring: false };
    case 'abandoned':
    case 'gone':
      return { ...facts, process: null, retiring: true };
    case 'draining':
    case 'ending':
      return { ...facts, process: state.alive?.process ?? null, retiring: true };
  }
}

/** An instance that does not run, or is to stop, is as little ready as one that has just been started. */
export function readinessOf<P>(state: InstanceState<P>): Readiness {
  if (state.kind === 'released') return readinessOf(state.was);
  return state.kind === 'running' ? state.readiness : { kind: 'starting' };
}

/**
 * The instant of the oldest observation that its condition rests on; null if it rests on none: it has ended. An answer
 * counts for its time, and is as young as the observation that the instance is alive. While it cannot be probed, its
 * condition grows old.
 */
export function observedAtOf<P>(state: InstanceState<P>): number | null {
  if (state.kind === 'released') return observedAtOf(state.was);
  if (state.kind === 'running') return Math.min(state.aliveAt, state.blindSince ?? state.aliveAt);
  return state.kind === 'draining' || state.kind === 'ending' ? (state.alive?.aliveAt ?? null) : null;
}

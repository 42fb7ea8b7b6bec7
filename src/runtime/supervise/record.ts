import type { Spec, Stamp } from '../../contract/intent.ts';
import { type FencedStamp, sameAttempt } from '../stamp.ts';

/**
 * The way in which instances of one attempt are started and probed. It holds secrets in clear, so it is written to
 * private files only.
 */
export interface Launch {
  readonly stamp: Stamp;
  readonly artifact: string;
  readonly command: string | readonly string[];
  readonly env: NonNullable<Spec['env']>;
  /** True if it listens on a port; each instance learns from `PORT` which one. */
  readonly port: boolean;
  readonly health: NonNullable<Spec['health']>;
}

/** The newest order that was committed to. */
export interface WantedAttempt {
  readonly stamp: FencedStamp;
  readonly artifact: string;
  readonly replicas: number;
  readonly port: boolean;
  readonly accepts: readonly Stamp[];
  readonly stabilityMs: number;
  readonly host: string | null;
}

/** The router forwards requests to every ready instance with one of these stamps. */
export interface ServingAttempt extends Stamp {
  readonly accepts: readonly Stamp[];
}

/**
 * One instance on disk. `P` identifies what runs, in the terms of the instance port: a process, a container. The field
 * is called `process` for all of them, because records that are already on disk call it so.
 */
export interface InstanceRecord<P = unknown> {
  readonly uid: string;
  readonly name: string;
  readonly stamp: FencedStamp;
  readonly artifact: string;
  /** Grows within a service, so that the youngest instance is found. */
  readonly ordinal: number;
  readonly port: number | null;
  /** Null if it was never started, or ended and was not started again yet. */
  readonly process: P | null;
  readonly startedAt: string | null;
  readonly restarts: number;
  /** Counts consecutive lives that were short: a crash loop is recognised by it. */
  readonly shortLives: number;
  readonly lastExit: Exit | null;
  /** It is being stopped for good, and is never started again. */
  readonly retiring: boolean;
}

export type Exit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string; readonly outOfMemory: boolean }
  /** It ended while no agent watched it: its exit code is lost. */
  | { readonly kind: 'unwatched' }
  /** The machine was restarted, and nothing that ran on it before is there. */
  | { readonly kind: 'rebooted' }
  | { readonly kind: 'not_started'; readonly message: string };

/** Everything that is stored about a service at this place. One file each. */
export interface ServiceRecord<P = unknown> {
  readonly version: 1;
  readonly service: string;
  readonly wanted: WantedAttempt | null;
  /** The newest removal: an order that is not newer is refused, for what was removed is never resurrected. */
  readonly removed: FencedStamp | null;
  readonly serving: ServingAttempt | null;
  /** Served before `serving`, and is kept until that has held for its stability window. */
  readonly fallback: ServingAttempt | null;
  /** The wanted attempt broke once while it served: it has to hold for its window before it serves again. */
  readonly doubted: boolean;
  /** The service's own port at the router; it stays the same after a restart, while it is free. */
  readonly routePort: number | null;
  readonly launches: readonly Launch[];
  readonly instances: readonly InstanceRecord<P>[];
  /** The highest ordinal of any instance so far. */
  readonly ordinals: number;
}

export function emptyRecord<P>(service: string): ServiceRecord<P> {
  return {
    version: 1,
    service,
    wanted: null,
    removed: null,
    serving: null,
    fallback: null,
    doubted: false,
    routePort: null,
    launches: [],
    instances: [],
    ordinals: 0,
  };
}

export function launchOf(record: ServiceRecord, stamp: Stamp): Launch | null {
  return record.launches.find((launch) => sameAttempt(launch.stamp, stamp)) ?? null;
}

/** The record without the launches that no instance needs any more: they hold secrets. */
export function pruned<P>(record: ServiceRecord<P>): ServiceRecord<P> {
  const { wanted, instances } = record;
  const stamps = [...instances.map((i) => i.stamp), ...(wanted === null ? [] : [wanted.stamp])];
  return {
    ...record,
    launches: record.launches.filter((launch) => stamps.some((stamp) => sameAttempt(stamp, launch.stamp))),
  };
}

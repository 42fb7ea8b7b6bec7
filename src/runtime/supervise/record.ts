import type { Spec, Stamp } from '../../contract/intent.ts';
import type { ProcessId } from '../process/proc.ts';
import { type FencedStamp, sameAttempt } from '../stamp.ts';

/** How the instances of one attempt are started and looked at; secrets in clear, so it is kept in private files only. */
export interface Launch {
  readonly stamp: Stamp;
  readonly artifact: string;
  readonly command: string | readonly string[];
  readonly env: NonNullable<Spec['env']>;
  /** Whether it has one; which one it is, each instance learns from `PORT`. */
  readonly port: boolean;
  readonly health: NonNullable<Spec['health']>;
}

/** The newest order, as it was committed to. */
export interface Wanted {
  readonly stamp: FencedStamp;
  readonly artifact: string;
  readonly replicas: number;
  readonly port: boolean;
  readonly accepts: readonly Stamp[];
  readonly stabilityMs: number;
  readonly host: string | null;
}

/** Whom the router sends requests to: every ready instance with one of these stamps. */
export interface Serving extends Stamp {
  readonly accepts: readonly Stamp[];
}

export interface InstanceRecord {
  readonly uid: string;
  readonly name: string;
  readonly stamp: FencedStamp;
  readonly artifact: string;
  /** Grows within a service, so that the newest can be told. */
  readonly ordinal: number;
  readonly port: number | null;
  /** Null: never started, or ended and not yet started again. */
  readonly process: ProcessId | null;
  readonly startedAt: string | null;
  readonly restarts: number;
  /** Ends one after the other of which none lived long: what a crash loop is counted by. */
  readonly shortLives: number;
  readonly lastExit: Exit | null;
  /** It is being stopped for good: nobody starts it again. */
  readonly retiring: boolean;
}

export type Exit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string; readonly outOfMemory: boolean }
  /** It ended while no agent was its parent: how is not known. */
  | { readonly kind: 'unwatched' }
  /** The machine was started anew, and nothing that ran on it before is there. */
  | { readonly kind: 'rebooted' }
  | { readonly kind: 'not_started'; readonly message: string };

/** Everything this place knows of a service, durably. One file each. */
export interface ServiceRecord {
  readonly version: 1;
  readonly service: string;
  readonly wanted: Wanted | null;
  /** The newest removal: an order that is not newer is refused, for what was removed is never resurrected. */
  readonly removed: FencedStamp | null;
  readonly serving: Serving | null;
  /** What served before that, and is kept until that has held for its stability window. */
  readonly fallback: Serving | null;
  /** What is wanted broke once when it served: it has to hold for its window before it serves again. */
  readonly doubted: boolean;
  /** The service's own port at the router; the same again after a restart, while it is free. */
  readonly routePort: number | null;
  readonly launches: readonly Launch[];
  readonly instances: readonly InstanceRecord[];
  readonly ordinals: number;
}

export function emptyRecord(service: string): ServiceRecord {
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

/** Without the launches that nothing needs any more: they hold secrets. */
export function pruned(record: ServiceRecord): ServiceRecord {
  const { wanted, instances } = record;
  const stamps = [...instances.map((i) => i.stamp), ...(wanted === null ? [] : [wanted.stamp])];
  return {
    ...record,
    launches: record.launches.filter((launch) => stamps.some((stamp) => sameAttempt(stamp, launch.stamp))),
  };
}

import type { Stamp } from '../../contract/intent.ts';

/** A ready instance, and the address at which it listens. */
export interface Endpoint {
  readonly uid: string;
  readonly address: string;
  readonly port: number;
}

/** The route of one service; replaced as a whole, so that a switch is one assignment. */
export interface ServiceRoute {
  readonly service: string;
  readonly hosts: readonly string[];
  /** The attempt whose contract was satisfied when requests were last switched. */
  readonly stamp: Stamp | null;
  readonly endpoints: readonly Endpoint[];
  /** No copies are wanted, so a client that tries again in a moment gets the same answer. */
  readonly isStopped: boolean;
}

/** The answer of a route to a request as a user would send it, with the attempt that answered. */
export type RouteAnswer = { readonly answers: true; readonly stamp: Stamp } | { readonly answers: false };

/** The part of a router that supervision needs. src/runtime/router/router.ts implements it. */
export interface RouterPort {
  /** The port for all services by host name; 0 while it does not listen. */
  readonly port: number;
  listen(): Promise<void>;
  /** Replaces the route of a service, for every request that has no instance yet. */
  set(route: ServiceRoute): void;
  /** Gives a service a port of its own; throws `EADDRINUSE` if another process has it. */
  expose(service: string, port: number): Promise<void>;
  isExposed(service: string): boolean;
  delete(service: string): void;
  /** Sends a request through the front door, as a user would: proves that the route answers, and for which attempt. */
  prove(host: string, path: string | null, timeoutMs: number): Promise<RouteAnswer>;
  /** Resolves when the instance has no request in hand; cuts those that take longer. */
  drained(uid: string, withinMs: number): Promise<void>;
  /** Accepts no more requests; cuts those in hand that take longer. */
  close(withinMs: number): Promise<void>;
}

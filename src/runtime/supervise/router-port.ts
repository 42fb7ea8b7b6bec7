import type { Stamp } from '../../contract/intent.ts';
import type { RuntimeReason } from '../../contract/vocabulary.ts';

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
export type RouteAnswer =
  | { readonly answers: true; readonly stamp: Stamp; readonly certificate?: RouteCertificate }
  | { readonly answers: false; readonly reason?: RouteReason };

/** The certificate that the router shows for a service, as a client sees it. */
export interface RouteCertificate {
  readonly notAfter: string;
  /** Its end is near, or over. */
  readonly ends: 'soon' | 'over' | null;
}

/** The port for https, and the host names that its certificates cover; one may begin with `*.`. */
export interface HttpsDoor {
  readonly port: number;
  readonly names: readonly string[];
}

/** Why no request can be forwarded, where it is the router's doing. */
type RouteReason = Extract<RuntimeReason, 'router_down'>;

/** The request that proves a route. */
export interface RouteQuestion {
  readonly service: string;
  /** Every host name under which the service is listed: each has to lead to it. */
  readonly hosts: readonly string[];
  readonly path: string | null;
  /** False if its instances speak no HTTP, so that no request can be forwarded to them. */
  readonly isHttp: boolean;
  /** False if the router alone is to answer: an instance was asked through it not long ago. */
  readonly isWhole: boolean;
  readonly timeoutMs: number;
}

/** The result of one proof of a route. */
export type RouteReply =
  /** An instance of the service answered, and every listed address leads to the service. */
  | { readonly kind: 'answered'; readonly stamp: Stamp; readonly certificate?: RouteCertificate }
  /** The router has nobody to forward to, or forwards to another service. */
  | { readonly kind: 'denied'; readonly reason?: RouteReason }
  /** An instance did not answer in time, broke off, or answered badly. The next one in turn may be well. */
  | { readonly kind: 'failed' }
  /** It could not be requested, for want of something of our own: that proves nothing (F122). */
  | { readonly kind: 'unobserved' };

/**
 * The part of a router that supervision needs. src/runtime/router/router.ts implements it inside a process, and
 * src/runtime/router-process/remote-router.ts for one that has a process of its own.
 */
export interface RouterPort {
  /** The port for all services by host name; 0 while it does not listen. */
  readonly port: number;
  /** Null while it speaks no TLS. */
  readonly https: HttpsDoor | null;
  listen(): Promise<void>;
  /** Replaces the route of a service, for every request that has no instance yet. */
  set(route: ServiceRoute): void;
  /** Gives a service a port of its own; throws `EADDRINUSE` if another process has it. */
  expose(service: string, port: number): Promise<void>;
  isExposed(service: string): boolean;
  delete(service: string): void;
  /** Sends a request through the front door, as a user would: proves that the route answers, and for which attempt. */
  prove(question: RouteQuestion, signal: AbortSignal): Promise<RouteReply>;
  /** Resolves when the instance has no request in hand; cuts those that take longer. */
  drained(uid: string, withinMs: number): Promise<void>;
  /**
   * Ends the supervision of it. One that would end with this process, or is not needed, accepts no more requests and cuts
   * those in hand that take longer.
   */
  close(withinMs: number, isNeeded: boolean): Promise<void>;
}

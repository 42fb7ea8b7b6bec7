import { isHolderBefore } from '../supervise/hosts.ts';
import type { Endpoint, ServiceRoute } from '../supervise/router-port.ts';

/** Finds the service of a host name, and the instance whose turn it is. */
export class Routes {
  readonly #routes = new Map<string, ServiceRoute>();
  readonly #turns = new Map<string, number>();

  set(route: ServiceRoute): void {
    this.#routes.set(route.service, route);
  }

  delete(service: string): void {
    this.#routes.delete(service);
    this.#turns.delete(service);
  }

  get(service: string): ServiceRoute | null {
    return this.#routes.get(service) ?? null;
  }

  /** The order in which routes were set decides nothing: after a restart of the agent it is another. */
  byHost(header: string | undefined): ServiceRoute | null {
    const host = hostOf(header);
    let holder: ServiceRoute | null = null;
    for (const route of this.#routes.values())
      if (
        route.hosts.includes(host) &&
        (holder === null || isHolderBefore(host, route.service, holder.service))
      )
        holder = route;
    return holder;
  }

  /** The next instance in turn that was not tried yet. */
  next(service: string, tried: ReadonlySet<string>): Endpoint | null {
    const endpoints = this.#routes.get(service)?.endpoints ?? [];
    const turn = this.#turns.get(service) ?? 0;
    for (let step = 0; step < endpoints.length; step += 1) {
      const endpoint = endpoints[(turn + step) % endpoints.length];
      if (endpoint === undefined || tried.has(endpoint.uid)) continue;
      this.#turns.set(service, (turn + step + 1) % endpoints.length);
      return endpoint;
    }
    return null;
  }
}

/** Without its port and case: `Web.localhost:7718` and `web.localhost.` are one name. */
function hostOf(header: string | undefined): string {
  return (header ?? '').replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
}

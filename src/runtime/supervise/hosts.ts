/** The host name that belongs to a service by its name, and to no other (F119). */
const ownHost = (service: string) => `${service.slice(0, service.indexOf('@'))}.localhost`;

/** The host names of a service: first the one that works everywhere on this machine, then the one of its spec. */
export function hostsOf(service: string, host: string | null): readonly string[] {
  const own = ownHost(service);
  return host === null || host.toLowerCase() === own ? [own] : [own, host.toLowerCase()];
}

/** A service with the host name of its spec, if it has one. */
interface HostRequest {
  readonly service: string;
  readonly host: string | null;
}

/**
 * The holder of the host name that a service requests, if that is another. `X.localhost` and every name below it belong
 * to X, whether X is deployed yet or not: otherwise it would depend on the order of deploys who answers for X, and a page
 * at `a.X.localhost` may set cookies for `X.localhost`. Any other name belongs to the service that was applied with it
 * first. Pure.
 */
export function hostHolderOf({ service, host }: HostRequest, others: Iterable<HostRequest>): string | null {
  const name = host?.toLowerCase() ?? null;
  if (name === null || name === ownHost(service)) return null;
  const owner = /(?:^|\.)([a-z0-9-]+)\.localhost$/.exec(name)?.[1];
  if (owner !== undefined) return ownHost(service) === `${owner}.localhost` ? null : owner;
  for (const other of others)
    if (other.service !== service && other.host?.toLowerCase() === name) return other.service;
  return null;
}

/** Compares two services that are on record with one host name: never by the order of their files. Pure. */
export function isHolderBefore(host: string, a: string, b: string): boolean {
  const isOwn = (service: string) => ownHost(service) === host;
  return isOwn(a) !== isOwn(b) ? isOwn(a) : a < b;
}

/** True if a certificate for one of the names is good for the host. A `*` stands for one label. Pure. */
export function coversHost(names: readonly string[], host: string): boolean {
  const name = host.toLowerCase();
  return names.includes(name) || names.includes(`*${name.slice(Math.max(0, name.indexOf('.')))}`);
}

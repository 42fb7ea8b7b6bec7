import type { Instance, ServiceEntry } from '../contract/report.ts';
import type { ScopedObservation } from '../runtime/port.ts';

/**
 * The items of a report by uid and by service, as the runtime observed them; nobody changes an observed item.
 * Rejected: their texts, which for 10,000 pods are 8 MB that a cluster's runtime holds a second time.
 */
export interface SentItems {
  readonly instances: ReadonlyMap<string, Instance>;
  readonly services: ReadonlyMap<string, ServiceEntry>;
}

interface ItemDifference {
  readonly changed: {
    readonly instances: readonly Instance[];
    readonly services: readonly ServiceEntry[];
  };
  readonly removed: { readonly instances: readonly string[]; readonly services: readonly string[] };
}

export const NO_ITEMS: SentItems = { instances: new Map(), services: new Map() };

export function itemsOf({
  instances,
  services,
}: Pick<ScopedObservation, 'instances' | 'services'>): SentItems {
  return {
    instances: new Map(instances.map((instance) => [instance.uid, instance])),
    services: new Map(services.map((entry) => [entry.service, entry])),
  };
}

/** The content of a change report on this base; null if nothing differs. */
export function difference(base: SentItems, now: SentItems): ItemDifference | null {
  if (base === now) return null;
  const instances = between(base.instances, now.instances);
  const services = between(base.services, now.services);
  const isNothing = [instances, services].every((part) => part.changed.length + part.removed.length === 0);
  if (isNothing) return null;
  return {
    changed: { instances: instances.changed, services: services.changed },
    removed: { instances: instances.removed, services: services.removed },
  };
}

/** The services whose items differ from the report before. */
export function changedServices(before: SentItems, now: SentItems): readonly string[] {
  const { changed } = difference(before, now) ?? { changed: { instances: [], services: [] } };
  return [...changed.instances, ...changed.services].map(({ service }) => service);
}

/** The instances that are not as the report before showed them. */
export function changedInstances(before: SentItems, now: SentItems): readonly Instance[] {
  return difference(before, now)?.changed.instances ?? [];
}

function between<T>(base: ReadonlyMap<string, T>, now: ReadonlyMap<string, T>) {
  const changed = [...now].filter(([key, item]) => !isSame(base.get(key), item)).map(([, item]) => item);
  const removed = [...base.keys()].filter((key) => !now.has(key));
  return { changed, removed };
}

/** Compares what would be sent: a field that is undefined is not. */
const isSame = (one: unknown, other: unknown) =>
  one === other || (one !== undefined && JSON.stringify(one) === JSON.stringify(other));

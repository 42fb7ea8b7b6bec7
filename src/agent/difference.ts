import type { ScopedObservation } from '../runtime/port.ts';

/** The items of a report by uid and by service, each as it was sent. */
export interface SentItems {
  readonly instances: ReadonlyMap<string, string>;
  readonly services: ReadonlyMap<string, string>;
}

interface ItemDifference {
  readonly changed: { readonly instances: readonly unknown[]; readonly services: readonly unknown[] };
  readonly removed: { readonly instances: readonly string[]; readonly services: readonly string[] };
}

export const NO_ITEMS: SentItems = { instances: new Map(), services: new Map() };

export function itemsOf({
  instances,
  services,
}: Pick<ScopedObservation, 'instances' | 'services'>): SentItems {
  return {
    instances: new Map(instances.map((instance) => [instance.uid, JSON.stringify(instance)])),
    services: new Map(services.map((entry) => [entry.service, JSON.stringify(entry)])),
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
  return [...changed.instances, ...changed.services].map((item) => (item as { service: string }).service);
}

/** The instances that are not as the report before showed them. */
export function changedInstances(
  before: SentItems,
  now: SentItems,
): readonly { readonly uid: string; readonly service: string }[] {
  const { changed } = difference(before, now) ?? { changed: { instances: [] } };
  return changed.instances as readonly { readonly uid: string; readonly service: string }[];
}

function between(base: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>) {
  const changed = [...now]
    .filter(([key, text]) => base.get(key) !== text)
    .map(([, text]) => JSON.parse(text));
  const removed = [...base.keys()].filter((key) => !now.has(key));
  return { changed: changed as unknown[], removed };
}

import type { Observation } from '../runtime/port.ts';

/** What a report has shown, by uid and by service, each as it was sent. */
export interface Shown {
  readonly instances: ReadonlyMap<string, string>;
  readonly services: ReadonlyMap<string, string>;
}

export interface Difference {
  readonly changed: { readonly instances: readonly unknown[]; readonly services: readonly unknown[] };
  readonly removed: { readonly instances: readonly string[]; readonly services: readonly string[] };
}

export function shownBy({ instances, services }: Observation): Shown {
  return {
    instances: new Map(instances.map((instance) => [instance.uid, JSON.stringify(instance)])),
    services: new Map(services.map((entry) => [entry.service, JSON.stringify(entry)])),
  };
}

/** What a change report on this base has to say; null if nothing. */
export function difference(base: Shown, now: Shown): Difference | null {
  const instances = between(base.instances, now.instances);
  const services = between(base.services, now.services);
  const isNothing = [instances, services].every((part) => part.changed.length + part.removed.length === 0);
  if (isNothing) return null;
  return {
    changed: { instances: instances.changed, services: services.changed },
    removed: { instances: instances.removed, services: services.removed },
  };
}

function between(base: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>) {
  const changed = [...now]
    .filter(([key, text]) => base.get(key) !== text)
    .map(([, text]) => JSON.parse(text));
  const removed = [...base.keys()].filter((key) => !now.has(key));
  return { changed: changed as unknown[], removed };
}

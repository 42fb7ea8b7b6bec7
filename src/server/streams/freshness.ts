import { type Binding, isBoundTo, seesTarget } from '../../access/binding.ts';
import type { Host } from '../../evidence/door/host.ts';
import { isSound } from '../../evidence/report/sound-scope.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { isIntact, readable } from '../../store/broken-row.ts';
import type { Fresh, FreshEvent } from './watch-event.ts';

export interface Targets {
  readonly now: number;
  /** The targets that a binding covers; for a binding to certain services, the targets that have such services. */
  readonly inView: (binding: Binding) => Fresh;
}

/** A target is as fresh as the stalest of its scopes. `isNarrow`: some viewer is bound to certain services. */
export function freshness(host: Host, org: string, isNarrow: boolean): Promise<Targets> {
  return host.store.read(async (tx) => {
    const services = isNarrow ? await tx.select('services', { org, hidden: false }) : [];
    const oldest = new Map<string, number>();
    const now = await tx.now();
    for (const row of await tx.select('scopes', { org }))
      if (isIntact(row) && isSound(row, now))
        oldest.set(row.target, Math.min(row.asOf, oldest.get(row.target) ?? row.asOf));
    const inView = (binding: Binding) => {
      const hasService = (target: string) =>
        services.some((row) => readable(row).target === target && isBoundTo(binding, readable(row).service));
      return Object.fromEntries(
        [...oldest].flatMap(([target, asOf]) =>
          seesTarget(binding, target, hasService)
            ? [[target, { asOf: rfc3339(asOf), validUntil: rfc3339(asOf + host.settings.freshForMs) }]]
            : [],
        ),
      );
    };
    return { now, inView };
  }, 'liveness');
}

export function freshEvent({ now, inView }: Targets, binding: Binding, service?: string): FreshEvent {
  const about = service === undefined ? {} : { service };
  return { event: 'fresh', data: { ...about, now: rfc3339(now), targets: inView(binding) } };
}

import { type Binding, isBoundTo, seesTarget } from '../../access/binding.ts';
import type { Host } from '../../evidence/door/host.ts';
import { isSound } from '../../evidence/report/sound-scope.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { isIntact, readable } from '../../store/broken-row.ts';
import type { ScopeRow } from '../../store/schema.ts';
import type { Fresh, FreshEvent } from './watch-event.ts';

export interface Targets {
  readonly now: number;
  /** The targets that a binding covers; for a binding to certain services, the targets that have such services. */
  readonly inView: (binding: Binding) => Fresh;
}

type ScopeAge = Pick<ScopeRow, 'target' | 'asOf' | 'unavailable'>;

/**
 * A target is as fresh as the stalest of its scopes that count now. One that may not be read, stands still or was given
 * up ages no service of the others: its own are `unknown` by their claims, which a viewer gets. Where none counts, the
 * stalest of all says since when.
 */
export function targetsAsOf(
  scopes: readonly ScopeAge[],
  now: number,
  freshForMs: number,
): ReadonlyMap<string, number> {
  const counts = ({ asOf, unavailable }: ScopeAge) => unavailable === null && now < asOf + freshForMs;
  const all = stalest(scopes);
  return new Map([...all, ...stalest(scopes.filter(counts))]);
}

function stalest(scopes: readonly ScopeAge[]): Map<string, number> {
  const oldest = new Map<string, number>();
  for (const { target, asOf } of scopes) oldest.set(target, Math.min(asOf, oldest.get(target) ?? asOf));
  return oldest;
}

/** The freshness of every target. `isNarrow`: some viewer is bound to certain services. */
export function freshness(host: Host, org: string, isNarrow: boolean): Promise<Targets> {
  return host.store.read(async (tx) => {
    const services = isNarrow ? await tx.select('services', { org, hidden: false }) : [];
    const now = await tx.now();
    const scopes = (await tx.select('scopes', { org })).filter(isIntact).filter((row) => isSound(row, now));
    const oldest = targetsAsOf(scopes, now, host.settings.freshForMs);
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

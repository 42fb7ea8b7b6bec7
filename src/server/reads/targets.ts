import { isBoundTo, isUnbound, seesTarget } from '../../access/binding.ts';
import type { Caller } from '../../access/caller.ts';
import { seesDetail } from '../../access/roles.ts';
import { targetOf } from '../../contract/names.ts';
import type { Host } from '../../evidence/door/host.ts';
import { isSound } from '../../evidence/report/sound-scope.ts';
import { recordedUnknownServices } from '../../evidence/report/unknown-services.ts';
import { isIntact, NAMELESS, readable, type Stored } from '../../store/broken-row.ts';
import type { ReadTx } from '../../store/port.ts';

/**
 * Lists targets that were declared, or that have had a service or an agent. A removed target is off the list
 * until an agent registers for it or somebody deploys to it. A caller bound to certain services sees only the
 * targets of these, and counts only these. The names of agents are for operators.
 */
export function targetsOf(host: Host, caller: Caller) {
  return host.store.read(async (tx) => {
    const { org } = caller;
    const now = await tx.now();
    const declared = by(await tx.select('targets', { org }));
    const agents = by(await tx.select('agents', { org }));
    const scopes = await tx.select('scopes', { org });
    const services = await countServices(tx, caller);
    const unknown = await notOnRecord(tx, caller);
    const isListed = async (target: string) => {
      const removedAt = readable(declared.get(target)).removedAt ?? null;
      if (removedAt === null || (readable(agents.get(target)).seenAt ?? 0) > removedAt) return true;
      return (await inUse(tx, org, target)) !== null;
    };
    const maySee = (target: string) => seesTarget(caller, target, (name) => services.has(name));
    const items = [];
    for (const target of [...new Set([...declared.keys(), ...agents.keys(), ...services.keys()])].sort()) {
      if (!maySee(target) || !(await isListed(target))) continue;
      items.push({
        target,
        runtime: readable(declared.get(target)).runtime ?? null,
        agent: agentView(agents.get(target), scopes, now, host.settings.freshForMs, seesDetail(caller.role)),
        services: services.get(target) ?? 0,
        notOnRecord: unknown.filter((service) => targetOf(service) === target),
      });
    }
    return items;
  });
}

/** Finds a service that is to run at the target, or whose removal is not complete; null: none. */
export async function inUse(tx: ReadTx, org: string, target: string): Promise<string | null> {
  for (const row of await tx.select('services', { org, target, hidden: false })) {
    const { service = NAMELESS, active, outcome } = readable(row);
    if (outcome === 'in_progress' || active === undefined) return service;
    const revision = await tx.get('revisions', { org, service, revision: active });
    if (readable(revision).kind !== 'teardown') return service;
  }
  return null;
}

/** Services that agents reported with our stamps and that have no record (F54). */
async function notOnRecord(tx: ReadTx, caller: Caller): Promise<readonly string[]> {
  const { org } = caller;
  const reported = (await recordedUnknownServices(tx, org)).filter((service) => isBoundTo(caller, service));
  const recorded = new Set<string>();
  for (const service of reported)
    if ((await tx.get('services', { org, service })) !== undefined) recorded.add(service);
  return reported.filter((service) => !recorded.has(service));
}

function by<T extends 'targets' | 'agents'>(rows: readonly Stored<T>[]): ReadonlyMap<string, Stored<T>> {
  const found = new Map<string, Stored<T>>();
  for (const row of rows) {
    const { target } = readable<Stored<'targets' | 'agents'>>(row);
    if (target !== undefined) found.set(target, row);
  }
  return found;
}

/** Counts the services of each target that the caller may see. */
export async function countServices(tx: ReadTx, caller: Caller): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  if (isUnbound(caller)) {
    for (const { values, count } of await tx.tally('services', ['target'], onLists(caller)))
      if (values[0] != null) counts.set(values[0], count);
    return counts;
  }
  for (const service of await servicesInBinding(tx, caller)) {
    const target = targetOf(service);
    counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return counts;
}

/** The services on the lists that the caller may see, by their names alone: their facts are most of a row. */
export async function servicesInBinding(tx: ReadTx, caller: Caller): Promise<readonly string[]> {
  const named = await tx.tally('services', ['service'], onLists(caller));
  return named.flatMap(({ values }) => values[0] ?? []).filter((service) => isBoundTo(caller, service));
}

const onLists = ({ org }: Caller) => ({ org, hidden: false });

function agentView(
  row: Stored<'agents'> | undefined,
  scopes: readonly Stored<'scopes'>[],
  now: number,
  freshForMs: number,
  withNames: boolean,
): { agent?: string; instance?: string; state: 'alive' | 'stale' } | null {
  if (row === undefined) return null;
  const { agent = NAMELESS, instance = NAMELESS, target, epoch } = readable(row);
  const own = scopes.filter((scope) => readable(scope).target === target && readable(scope).epoch === epoch);
  const fresh = own.every((scope) => isIntact(scope) && isSound(scope, now) && now < scope.asOf + freshForMs);
  const names = withNames ? { agent, instance } : {};
  return { ...names, state: own.length > 0 && fresh ? 'alive' : 'stale' };
}

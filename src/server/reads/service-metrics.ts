import { Gauge, Registry } from 'prom-client';
import { covers } from '../../access/binding.ts';
import type { Caller } from '../../access/caller.ts';
import type { Host } from '../../evidence/door/host.ts';
import { readable } from '../../store/broken-row.ts';
import { withTimeLimit } from '../../store/time-limit.ts';

/** A scrape is not held up by a store that hangs: it gets what the server knows of itself. */
const ANSWER_MS = 2_000;

/**
 * The services of the caller's org by target and state, and how old what is known of each target is, as Prometheus text.
 * Not in the registry of the server: names of targets are for those who may see them (F109). Nothing for a caller that is
 * bound to some services, who would be told how many others there are; nothing while the store does not answer.
 */
export async function serviceMetrics({ store }: Host, { org, target, service }: Caller): Promise<string> {
  if (service !== '*') return '';
  const registry = new Registry();
  const registers = [registry];
  const services = new Gauge({
    ...{ name: 'evident_services', help: 'Services by the state on record', registers },
    labelNames: ['target', 'state'],
  });
  const ages = new Gauge({
    ...{ name: 'evident_observation_age_seconds', registers, labelNames: ['target'] },
    help: 'How old the oldest of what is known of a target is',
  });
  const reading = store.read(async (tx) => ({
    now: await tx.now(),
    counts: await tx.tally('services', ['target', 'state'], { org, hidden: false }),
    scopes: (await tx.select('scopes', { org })).map((row) => readable(row)),
    epochs: new Map(
      (await tx.select('agents', { org })).map((row) => [readable(row).target, readable(row).epoch]),
    ),
  }));
  const found = await withTimeLimit(reading, ANSWER_MS).catch(() => null);
  if (found === null) return '';
  for (const { values, count } of found.counts) {
    const [at, state] = values;
    if (at != null && state != null && covers(target, at)) services.set({ target: at, state }, count);
  }
  const oldest = new Map<string, number>();
  // Of the agent that speaks for the target now: what a former one saw does not count.
  for (const { target: at, epoch, asOf } of found.scopes)
    if (at !== undefined && asOf !== undefined && covers(target, at) && epoch === found.epochs.get(at))
      oldest.set(at, Math.min(asOf, oldest.get(at) ?? Number.POSITIVE_INFINITY));
  for (const [at, asOf] of oldest) ages.set({ target: at }, Math.max(0, found.now - asOf) / 1000);
  return registry.metrics();
}

import type { Claim } from '../../contract/claim.ts';
import type { State } from '../../contract/vocabulary.ts';
import { type HeldStretch, holdingOf, stretchesOf } from '../../projection/ribbon.ts';
import { readable } from '../../store/broken-row.ts';
import type { Host } from '../door/host.ts';
import { gapsSince } from './recoveries.ts';
import { beginsOf, changesOf } from './ribbons.ts';

/** As far back as a ribbon looks, so that a list says the same before its ribbons are read and after. */
const WINDOW_MS = 24 * 60 * 60 * 1_000;
/** A service with more changes is shown from the oldest that was read. */
const CHANGES = 32;

/** A state that silences alone interrupted. */
export interface ServiceHolding extends HeldStretch {
  readonly state: State;
}

/**
 * The services whose state silences alone interrupted within a day, with its true begin. Services whose state began before
 * that are not asked about: `services` holds only those that changed since.
 */
export function holdingsOf(
  host: Host,
  org: string,
  services: readonly string[],
): Promise<ReadonlyMap<string, ServiceHolding>> {
  if (services.length === 0) return Promise.resolve(new Map());
  return host.store.read(async (tx) => {
    const { at = 0 } = readable(await tx.get('heads', { org }));
    const now = Math.max(await tx.now(), at);
    const read = await tx.readAll(
      services.map((service) => ({
        table: 'transitions' as const,
        where: { org, service },
        options: { order: 'position' as const, descending: true, limit: CHANGES },
      })),
    );
    const lost = (await gapsSince(tx, org, now - WINDOW_MS)).map((gap) => ({
      from: gap.lostSince ?? gap.at,
      to: gap.at,
    }));
    const found = new Map<string, ServiceHolding>();
    for (const [i, service] of services.entries()) {
      const changes = changesOf([...(read[i] ?? [])].reverse());
      const from = Math.max(now - WINDOW_MS, changes[0]?.at ?? now);
      const stretches = stretchesOf(changes, { from, to: now }, lost);
      const last = stretches.at(-1);
      const held = holdingOf(
        stretches,
        beginsOf(changes, { from, to: now }).map((begin) => begin.at),
      );
      if (held !== null && last !== undefined && held.since < last.from)
        found.set(service, { ...held, state: last.state });
    }
    return found;
  });
}

/** A state that is known, and began within the window: a silence may have interrupted it. */
export const isMaybeHeld = ({ state, since, now }: Pick<Claim, 'state' | 'since' | 'now'>): boolean =>
  state !== 'unknown' && Date.parse(since) > Date.parse(now) - WINDOW_MS;

import type { VisibleService } from '../../access/visible-service.ts';
import type { Host } from '../../evidence/door/host.ts';
import { configuredBy } from '../../evidence/past/configured-by.ts';
import type { BrokenEntry, RevisionEntry } from '../../evidence/read.ts';
import { changesBetween, type FieldChange } from '../../intent/configuration.ts';
import type { RevisionRow } from '../../store/schema.ts';
import { isIntactEntry } from './history.ts';

/** More fields are counted, and longer values left out: a list holds many revisions, and each is read whole by itself. */
const FIELDS = 8;
const VALUE_LENGTH = 40;

interface Changed {
  readonly against: number;
  readonly fields: readonly FieldChange[];
  readonly more: number;
}

/**
 * What each revision of a page changes against the one that configured its service before, by number; none where there was
 * none. `entries` are neighbours, newest first: the one before is almost always among them, and is then read no second
 * time.
 */
export async function changedIn(
  host: Host,
  { org, service }: VisibleService,
  entries: readonly (RevisionEntry | BrokenEntry)[],
): Promise<ReadonlyMap<number, Changed>> {
  const changed = new Map<number, Changed>();
  for (const [i, entry] of entries.entries()) {
    if (!isIntactEntry(entry)) continue;
    const { revision, spec } = entry.intent;
    const among = configuredAmong(entries.slice(i + 1));
    const base =
      among === 'beyond' && revision > 1
        ? await host.store.read((tx) => configuredBy(tx, org, service, revision))
        : among;
    if (base !== null && base !== 'beyond')
      changed.set(revision, inShort(base.revision, changesBetween(base.spec, spec)));
  }
  return changed;
}

/** As `configuredBy` finds it, among these; `beyond`: it may be another, because they end or one cannot be read. */
function configuredAmong(
  older: readonly (RevisionEntry | BrokenEntry)[],
): Pick<RevisionRow, 'revision' | 'spec'> | null | 'beyond' {
  for (const entry of older) {
    if (!isIntactEntry(entry)) return 'beyond';
    const { intent, attempts } = entry;
    if (attempts.at(-1)?.outcome !== 'cancelled') return intent.kind === 'teardown' ? null : intent;
  }
  return 'beyond';
}

function inShort(against: number, changes: readonly FieldChange[]): Changed {
  const fields = changes.slice(0, FIELDS).map((change) => {
    const { from, to, ...named } = change;
    return {
      ...named,
      ...(isShort(from) && 'from' in change && { from }),
      ...(isShort(to) && 'to' in change && { to }),
    };
  });
  return { against, fields, more: changes.length - fields.length };
}

const isShort = (value: unknown) => (JSON.stringify(value) ?? '').length <= VALUE_LENGTH;

import { addDigits, compareDigits, type Digits, ZERO } from '../contract/digits.ts';
import type { Owner } from '../contract/vocabulary.ts';
import type { Host } from '../evidence/door/host.ts';
import { brokenColumn, whole } from '../evidence/door/row-integrity.ts';
import { PAGE } from '../evidence/past/ledger-pages.ts';
import { type Entry, readFrom } from '../evidence/read.ts';
import { pick, readable } from '../store/broken-row.ts';
import type { ReadTx } from '../store/port.ts';
import { type Difference, damageOf } from './difference.ts';

/** A run of positions without a row, and the rows on either side. */
export interface Hole {
  readonly after: Beside;
  readonly before: Beside;
}

export interface Beside {
  readonly position: Digits;
  /**
   * The instant it was recorded; NaN if that cannot be read, so that it is neither before nor after anything.
   */
  readonly at: number;
  /** Set for evidence about no service, which may have changed the claim of any. */
  readonly brings: { readonly owner: Owner; readonly evidence: string } | null;
}

/** The position of the only row that a hole lacks; null if it lacks more than one. */
export function placeOf({ after, before }: Hole): Digits | null {
  const place = addDigits(after.position, 1);
  return addDigits(place, 1) === before.position ? place : null;
}

export interface Searched {
  readonly holes: readonly Hole[];
  /** Evidence about no service that cannot be read. No facts are folded from it. */
  readonly damage: readonly Difference[];
}

/**
 * Finds the positions without a row. Evidence, transitions and alarms share one sequence of positions, so a
 * removed row leaves a hole; only a recovery jumps (S10).
 */
export async function searchHoles(
  host: Host,
  org: string,
  onRows: (rows: number) => void,
): Promise<Searched> {
  const holes: Hole[] = [];
  const damage: Difference[] = [];
  const [jumps, kept, head] = await host.store.read(async (tx) => [
    await jumpsOf(tx, org),
    await tx.get('retention', { org }),
    await tx.get('heads', { org }),
  ]);
  const end = readable(head).position ?? ZERO;
  const { position: border = ZERO, keptFrom = 0 } = readable(kept);
  let last: Beside = { position: border, at: keptFrom, brings: null };
  let rows = 0;
  while (compareDigits(last.position, end) < 0) {
    const { entries } = await readFrom(host, org, last.position, PAGE);
    for (const entry of entries) {
      const jumped = jumps.get(last.position) ?? last.position;
      const next = besideOf(entry);
      if (entry.position !== addDigits(jumped, 1) && entry.position !== addDigits(last.position, 1))
        holes.push({ after: { ...last, position: jumped }, before: next });
      damage.push(...damageIn(org, entry));
      last = next;
    }
    rows += entries.length;
    onRows(rows);
    if (entries.length > 0) continue;
    const jumped = jumps.get(last.position) ?? last.position;
    const beyond = { position: addDigits(end, 1), at: readable(head).at ?? last.at, brings: null };
    if (jumped !== end) holes.push({ after: { ...last, position: jumped }, before: beyond });
    break;
  }
  return { holes, damage };
}

async function jumpsOf(tx: ReadTx, org: string): Promise<ReadonlyMap<Digits, Digits>> {
  const jumps = (await tx.select('recoveries', { org })).flatMap((row) => pick(row, 'from', 'to') ?? []);
  return new Map(jumps.map(({ from, to }) => [from, to]));
}

function besideOf(entry: Entry): Beside {
  const { position } = entry;
  if (entry.is === 'alarm') return { position, at: readable(entry.row).at ?? Number.NaN, brings: null };
  if (entry.is === 'transition')
    return { position, at: readable(entry.row).recordedAt ?? Number.NaN, brings: null };
  const at = readable(entry.row).receivedAt ?? Number.NaN;
  const row = whole(entry.row);
  const brings = row?.service === null ? { owner: row.source.role, evidence: row.id } : null;
  return { position, at, brings };
}

function damageIn(org: string, entry: Entry): Difference[] {
  if (entry.is !== 'evidence' || readable(entry.row).service !== null) return [];
  const column = brokenColumn(entry.row);
  if (column === null) return [];
  return [damageOf({ table: 'ledger', org, service: null, row: entry.position, column }, 'unreadable')];
}

export function holeDamage(org: string, { after, before }: Hole): Difference {
  const row = `between ${after.position} and ${before.position}`;
  return damageOf({ table: 'ledger', org, service: null, row, column: 'position' }, 'missing');
}

import { readable, type Stored } from '../../store/broken-row.ts';
import { ChainedTx, type ReadUnlocked } from '../../store/chained-tx.ts';
import { OutcomeUnknown, readSnapshotIn, type Store, type Tx } from '../../store/port.ts';
import type { Table } from '../../store/schema.ts';
import type { Host } from './host.ts';
import type { OpenDoor } from './open-door.ts';
import { trustAt } from './trust.ts';

/** What a transaction has written, for whoever remembers it. */
export interface WrittenRow {
  readonly table: Table;
  readonly row: Stored<Table>;
}

/**
 * Does the works of a group on what this process remembers of the org, and writes all of it in one chained write. Null:
 * nothing was written, and the group has to be done behind the lock: something is not remembered, or would be concluded
 * from the time that has passed, or another writer has moved the tip (docs/hot-path.md).
 */
export async function serveByMemory<S extends { readonly door: OpenDoor }>(
  host: Host,
  org: string,
  serve: (tx: Tx) => Promise<S>,
): Promise<S | null> {
  const { store, images, settings } = host;
  const now = store.clockByMemory?.() ?? null;
  const image = now === null ? undefined : images?.of(org, now);
  if (images === undefined || image === undefined || now === null || store.writeChained === undefined)
    return null;
  const believed = image.head;
  const readUnlocked: ReadUnlocked = (reads) => readSnapshotIn(store, reads) as ReturnType<ReadUnlocked>;
  const tx = new ChainedTx(image, now, trustAt(now, settings), readUnlocked);
  let served: S;
  try {
    served = await serve(tx);
  } catch {
    // Whatever it was, it is answered behind the lock: what is remembered decides no refusal.
    return null;
  }
  const group = tx.group(believed);
  if (group === null) return null;
  const isWritten = await store.writeChained(group).catch(async (error: unknown) => {
    if (error instanceof OutcomeUnknown && (await holdsTip(store, org, group.head.tip))) return true;
    images.drop(org);
    throw error;
  });
  // mutant: refused-counts
  if (!isWritten) {
    images.dropForNow(org, now);
    return null;
  }
  const { door } = served;
  images.keep(org, believed, door.newHead, door.tx, door.at);
  return served;
}

/** The answer to a commit is lost. If the head holds its tip, the group was written, and nothing since. */
async function holdsTip(store: Store, org: string, tip: string): Promise<boolean> {
  try {
    const [[head]] = await readSnapshotIn(store, [{ table: 'heads', keys: [{ org }] }]);
    return readable(head).tip === tip;
  } catch {
    return false;
  }
}

/** Does them behind the lock of the org's head, and remembers what was read and written there. */
export async function serveBehindLock<S extends { readonly door: OpenDoor }>(
  { store, images }: Host,
  org: string,
  serve: (tx: Tx) => Promise<S>,
): Promise<S> {
  try {
    const served = await store.transact(serve);
    const { door } = served;
    images?.keep(org, door.head, door.newHead, door.tx, door.at);
    return served;
  } catch (error) {
    images?.drop(org);
    throw error;
  }
}

/**
 * Remembers rows that a transaction without the head has written. Nobody else of this process has written meanwhile: all
 * who remember share one queue.
 */
export function learnRows({ images }: Host, org: string, rows: readonly WrittenRow[]): void {
  for (const { table, row } of rows) images?.learn(org, table, row);
}

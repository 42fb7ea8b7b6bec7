import { ChainedTx } from '../../store/chained-tx.ts';
import type { Tx } from '../../store/port.ts';
import type { Host } from './host.ts';
import type { OpenDoor } from './open-door.ts';
import type { Prefetch } from './prefetch.ts';
import { trustAt } from './trust.ts';

/** Does the works of a transaction, and closes its door. */
type DoGroup<S> = (tx: Tx, prefetch: readonly Prefetch[], isByMemory: boolean) => Promise<S>;

/**
 * Does the works of a group on what this process remembers of the org, and writes all of it in one chained write. Null:
 * nothing was written, and the group has to be done behind the lock: something is not remembered, or would be concluded
 * from the time that has passed, or another writer has moved the tip (docs/hot-path.md).
 */
export async function serveByMemory<S extends { readonly door: OpenDoor }>(
  host: Host,
  org: string,
  prefetch: readonly Prefetch[],
  serve: DoGroup<S>,
): Promise<S | null> {
  const { store, images, settings } = host;
  const now = store.clockByMemory?.() ?? null;
  const image = now === null ? undefined : images?.of(org, now);
  if (images === undefined || image === undefined || now === null || store.writeChained === undefined)
    return null;
  const believed = image.head;
  const tx = new ChainedTx(image, now, trustAt(now, settings));
  let served: S;
  try {
    // Hints name rows that need not be there; what is remembered costs no round trip.
    served = await serve(
      tx,
      prefetch.filter(({ table }) => table === 'services'),
      true,
    );
  } catch {
    // Whatever it was, it is answered behind the lock: what is remembered decides no refusal.
    return null;
  }
  const group = tx.group(believed);
  if (group === null) return null;
  let isWritten: boolean;
  try {
    isWritten = await store.writeChained(group);
  } catch (error) {
    images.drop(org);
    throw error;
  }
  // mutant: refused-counts
  if (!isWritten) {
    images.dropForNow(org, now);
    return null;
  }
  const { door } = served;
  images.keep(org, believed, door.newHead, door.tx, door.at);
  return served;
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

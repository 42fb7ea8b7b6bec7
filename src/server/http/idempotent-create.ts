import type { Caller } from '../../access/caller.ts';
import { type Idempotency, KEY_LIFETIME_MS } from '../../intent/acted.ts';
import { readable } from '../../store/broken-row.ts';
import type { Store, Tx } from '../../store/port.ts';
import type { KeyResult, KeyRow } from '../../store/schema.ts';
import { Refused } from './problems.ts';

/**
 * Creates something that is no revision, once per key (S7). The key's row is inserted first; a repetition finds it and gets
 * what was created. Of two at the same time one waits for the other in the store.
 */
export function createOnce<M extends KeyResult>(
  store: Store,
  { org, name: token }: Pick<Caller, 'org' | 'name'>,
  idempotency: Idempotency | null,
  made: M,
  create: (tx: Tx, now: number) => Promise<void>,
): Promise<{ readonly made: M; readonly replayed: boolean }> {
  return store.transact(async (tx) => {
    const now = await tx.now();
    if (idempotency !== null) {
      const { key, fingerprint } = idempotency;
      const nothing = { service: '', revision: 0, attempt: 0 };
      const row: KeyRow = { org, token, key, fingerprint, ...nothing, made, createdAt: now };
      const earlier = (await tx.insert('keys', row)) ? undefined : await tx.lock('keys', { org, token, key });
      const before = readable(earlier);
      if (before.createdAt !== undefined && now < before.createdAt + KEY_LIFETIME_MS) {
        if (before.fingerprint !== fingerprint || before.made?.kind !== made.kind)
          throw new Refused('idempotency_conflict', 'This key was used for another request.');
        return { made: before.made as M, replayed: true };
      }
      if (earlier !== undefined) await tx.update('keys', { org, token, key }, {}, row);
    }
    await create(tx, now);
    return { made, replayed: false };
  });
}

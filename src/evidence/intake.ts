import { leaseId } from '../contract/command-id.ts';
import type { Digits } from '../contract/digits.ts';
import { oneOf } from '../store/port.ts';
import { type CommandRow, type EvidenceIdRow, type LeaseRow, sourceKey } from '../store/schema.ts';
import { evidenceRole, sourceOf } from './caller.ts';
import type { Door } from './door.ts';
import type { Submission } from './submit.ts';

export interface Held {
  readonly command: CommandRow | undefined;
  readonly lease: LeaseRow | undefined;
}

/**
 * What several submissions need to know of the store, read once for all of them. Behind the head's lock nobody
 * else ends a lease, takes up an offer or remembers an id, so what was read stays true until this very
 * transaction changes it; then it is forgotten, and read again.
 */
export class Intake {
  readonly door: Door;
  readonly #ids: Map<string, EvidenceIdRow>;
  readonly #held = new Map<string, Held>();
  readonly #sequences = new Map<string, Digits>();

  private constructor(door: Door, known: readonly EvidenceIdRow[]) {
    this.door = door;
    this.#ids = new Map(known.map((row) => [`${row.source} ${row.id}`, row]));
  }

  static async open(door: Door, submissions: readonly Submission[]): Promise<Intake> {
    const asked = new Map<string, Set<string>>();
    for (const { caller, items } of submissions) {
      const source = sourceKey(sourceOf(caller, evidenceRole(caller) ?? 'operator'));
      const ids = asked.get(source) ?? new Set();
      for (const item of items) {
        const id = (item as { id?: unknown } | null)?.id;
        if (typeof id === 'string') ids.add(id);
      }
      asked.set(source, ids);
    }
    const known: EvidenceIdRow[] = [];
    for (const [source, ids] of asked)
      for (const some of inPieces([...ids]))
        known.push(...(await door.tx.select('evidenceIds', { org: door.org, source, id: oneOf(...some) })));
    return new Intake(door, known);
  }

  /** What the ledger has under this id already. */
  original(source: string, id: string): EvidenceIdRow | undefined {
    return this.#ids.get(`${source} ${id}`);
  }

  async remember(given: Omit<EvidenceIdRow, 'org'>): Promise<void> {
    const row = { org: this.door.org, ...given };
    this.#ids.set(`${row.source} ${row.id}`, row);
    await this.door.tx.append('evidenceIds', row);
  }

  /** The command that an item names, and the lease that it claims to hold. */
  async held(command: string | null, fence: Digits | null): Promise<Held> {
    if (command === null) return { command: undefined, lease: undefined };
    const name = `${command} ${fence}`;
    const known = this.#held.get(name);
    if (known !== undefined) return known;
    const { org, tx } = this.door;
    const row = await tx.get('commands', { org, id: command });
    const lease =
      row === undefined || fence === null
        ? undefined
        : await tx.get('leases', { org, id: leaseId(command, fence) });
    const said = lease === undefined ? undefined : this.#sequences.get(lease.id);
    const held = { command: row, lease: lease && { ...lease, lastSeq: said ?? lease.lastSeq } };
    this.#held.set(name, held);
    return held;
  }

  /** The last sequence number said under a lease; written once, however many were said. */
  sequence(lease: LeaseRow, lastSeq: Digits): void {
    this.#sequences.set(lease.id, lastSeq);
    const name = `${lease.command} ${lease.fence}`;
    const held = this.#held.get(name);
    if (held !== undefined) this.#held.set(name, { ...held, lease: { ...lease, lastSeq } });
  }

  /** The lease is about to change: whatever is known of its command is no longer so. */
  forget(lease: LeaseRow): void {
    for (const [name, { command }] of this.#held) if (command?.id === lease.command) this.#held.delete(name);
  }

  async close(): Promise<void> {
    const { org, tx } = this.door;
    for (const [id, lastSeq] of this.#sequences) await tx.update('leases', { org, id }, {}, { lastSeq });
  }
}

/** A list in a statement has a length that is part of its text: few lengths, few texts. */
function inPieces<T>(list: readonly T[]): T[][] {
  const pieces: T[][] = [];
  let at = 0;
  for (const size of [100, 10, 1]) {
    for (; list.length - at >= size; at += size) pieces.push(list.slice(at, at + size));
  }
  return pieces;
}

import { randomUUID } from 'node:crypto';
import { compareDigits, type Digits, ZERO } from '../contract/digits.ts';
import type { Host } from '../evidence/door/host.ts';
import { NAMELESS, readable } from '../store/broken-row.ts';
import type { ReadTx, Replaceable, Store, Tx } from '../store/port.ts';
import type { Identity, IncarnationRow } from '../store/schema.ts';
import {
  readWitness,
  refuseImpossibleWitness,
  removeLeftovers,
  type Witness,
  writeWitness,
} from '../store/witness.ts';
import { beginIncarnation, type RecoveredOrg, type Recovery, recover } from './recover.ts';

/** The incarnation, the heads and the identity that the database holds. */
export interface StoreState {
  readonly identity: Identity | null;
  /** A column that cannot be read is null, like one that the database does not disclose. */
  readonly incarnations: readonly Pick<IncarnationRow, 'id' | 'system' | 'timeline'>[];
  readonly heads: readonly FoundHead[];
}

type Finding = Pick<Recovery, 'why' | 'reason'>;

/** The outcome of a recovery: its reason, and its effect on each org. */
interface Recovered extends Finding {
  readonly orgs: readonly RecoveredOrg[];
}

/** The readable part of an org's head. */
interface FoundHead {
  readonly org: string;
  readonly position: Digits | undefined;
  readonly floor: number | undefined;
}

/**
 * Decides if the store may have lost confirmed writes: compares it with the identity of its last incarnation,
 * and with its witness. Pure. A restart that lost nothing is no recovery: the same cluster, the same
 * timeline, and no head below the witness.
 */
export function findRecovery(witness: Witness | null, found: StoreState): Finding | null {
  const { identity, incarnations, heads } = found;
  const last = incarnations.at(-1);
  if (last !== undefined && identity !== null) {
    if (last.system !== null && identity.system !== null && last.system !== identity.system)
      return restored(`the system identifier is ${identity.system}, and was ${last.system}`);
    if (last.timeline !== null && identity.timeline !== null && last.timeline !== identity.timeline)
      return {
        why: 'failed_over',
        reason: `the timeline is ${identity.timeline}, and was ${last.timeline}`,
      };
  }
  if (witness === null) return null;
  // Another server may have begun a later incarnation: then this one is still in the database.
  if (!incarnations.some(({ id }) => id === witness.incarnation))
    return restored(`the database does not know the incarnation ${witness.incarnation}`);
  for (const [org, reach] of Object.entries(witness.orgs)) {
    const head = heads.find((one) => one.org === org);
    const position = head === undefined ? ZERO : head.position;
    // A head that cannot be read does not prove a loss.
    if (position !== undefined && compareDigits(position, reach.position) < 0)
      return restored(`the ledger of ${org} ends at ${position}, and had come to ${reach.position}`);
  }
  return null;
}

const restored = (reason: string): Finding => ({ why: 'restored', reason });

interface IncarnationOptions {
  readonly newId?: () => string;
  /** A recovery that cannot be detected, declared by an operator. */
  readonly declared?: { readonly reason: string; readonly actor: string };
  /** Called with each recovery that is carried out here, when opening and later. */
  readonly recovered?: (recovered: Recovered) => void;
}

/**
 * The life of a store in this process. Opening it recovers a store that lost something, so that nothing lost
 * is believed, and keeps the witness. `look` is level-triggered: once a second is enough, and the next look
 * finds a loss that one look missed. Writes after the last look can be lost undetected; that is why numbers
 * jump so far.
 */
export class Incarnation {
  readonly #host: Host;
  readonly #dir: string;
  readonly #newId: () => string;
  readonly #recovered: (recovered: Recovered) => void;
  #witness: Witness | null;
  #opened: Recovered | null = null;
  #looking: Promise<Recovered | null> | null = null;

  private constructor(host: Host, dir: string, witness: Witness | null, options: IncarnationOptions) {
    this.#host = host;
    this.#dir = dir;
    this.#witness = witness;
    this.#newId = options.newId ?? randomUUID;
    this.#recovered = options.recovered ?? (() => {});
  }

  static async open(host: Host, dir: string, options: IncarnationOptions = {}): Promise<Incarnation> {
    await removeLeftovers(dir);
    const opened = new Incarnation(host, dir, await readWitness(dir), options);
    opened.#opened = await opened.#recoverIfNeeded(options.declared ?? null);
    return opened;
  }

  /** The recovery that opening began; null if nothing was lost. */
  get opened(): Recovered | null {
    return this.#opened;
  }

  get id(): string {
    return this.#witness?.incarnation ?? '';
  }

  /** Compares once more, recovers if needed, and writes the witness. */
  look(): Promise<Recovered | null> {
    this.#looking ??= this.#recoverIfNeeded(null).finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Writes the last position to the witness, as a clean stop. */
  async close(): Promise<void> {
    await this.look();
  }

  async #recoverIfNeeded(declared: IncarnationOptions['declared'] | null): Promise<Recovered | null> {
    const { store } = this.#host;
    const identity = isReplaceable(store) ? await store.identity() : null;
    const reached: Store = isReplaceable(store) ? store.unguarded : store;
    let recovered: Recovered | null = null;
    let found = await reached.read((tx) => read(tx, identity));
    if (declared || found.incarnations.length === 0 || findRecovery(this.#witness, found) !== null) {
      recovered = await reached.transact((tx) => this.#begin(tx, identity, declared ?? null));
      if (recovered !== null) this.#recovered(recovered);
      found = await reached.read((tx) => read(tx, identity));
    }
    await this.#remember(found);
    if (isReplaceable(store)) store.guard(identity, this.#displaced);
    return recovered;
  }

  /** Decides again in the transaction that recovers: another server may have been faster. */
  async #begin(
    tx: Tx,
    identity: Identity | null,
    declared: { readonly reason: string; readonly actor: string } | null,
  ): Promise<Recovered | null> {
    const found = await read(tx, identity);
    const finding: Finding | null =
      declared === null ? findRecovery(this.#witness, found) : { why: 'declared', reason: declared.reason };
    const id = this.#newId();
    if (finding !== null) {
      const actor = declared?.actor ?? 'evident';
      const reached = this.#witness?.orgs ?? {};
      const orgs = await recover(tx, this.#host, { id, ...finding, actor, identity, reached });
      refuseImpossibleWitness(this.#dir, witnessOf(await read(tx, identity)));
      return { ...finding, orgs };
    }
    if (found.incarnations.length === 0) await beginIncarnation(tx, { id, why: 'created', identity });
    return null;
  }

  async #remember(found: StoreState): Promise<void> {
    const next = witnessOf(found);
    if (JSON.stringify(next) === JSON.stringify(this.#witness)) return;
    await writeWitness(this.#dir, next);
    this.#witness = next;
  }

  /**
   * Called if a new connection leads to another database. If this look fails, the loop looks again within a
   * second.
   */
  readonly #displaced = () => {
    this.look().catch(() => {});
  };
}

function witnessOf({ incarnations, heads }: StoreState): Witness {
  const incarnation = incarnations.at(-1)?.id ?? '';
  // A witness that could not be read back is refused before it is written.
  const orgs = Object.fromEntries(
    heads.map(({ org, position = NAMELESS, floor = Number.NaN }) => [org, { position, floor }]),
  );
  return { format: 1, incarnation, orgs };
}

async function read(tx: ReadTx, identity: Identity | null): Promise<StoreState> {
  const incarnations = await tx.select('incarnations', {}, { order: 'ordinal' });
  const heads = await tx.select('heads', {}, { order: 'org' });
  return {
    identity,
    incarnations: incarnations
      .map(readable)
      .map(({ id = NAMELESS, system = null, timeline = null }) => ({ id, system, timeline })),
    heads: heads.map(readable).map(({ org = NAMELESS, position, floor }) => ({ org, position, floor })),
  };
}

const isReplaceable = (store: Store): store is Replaceable => 'guard' in store;

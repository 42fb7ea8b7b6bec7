import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Caller } from '../../access/caller.ts';
import type { TokenRole } from '../../contract/vocabulary.ts';
import { isGood } from '../../evidence/door/bearer.ts';
import { Sharing } from '../../evidence/door/sharing.ts';
import { NAMELESS, pick, readable, type Stored } from '../../store/broken-row.ts';
import { readSnapshotIn, type Store, type Tx } from '../../store/port.ts';
import type { TokenRow } from '../../store/schema.ts';
import { StoreProbe } from '../readiness.ts';

interface NewToken {
  readonly org: string;
  readonly role: TokenRole;
  readonly name: string;
  readonly target: string;
  readonly service: string;
  readonly expiresInMs: number | null;
}

/** A random secret, shown once and stored as its hash: 256 bits need no salt and no slow hash. There is no default (F110). */
export const newSecret = () => `evd_${randomBytes(32).toString('base64url')}`;

/**
 * Derives the secret of a token that is created under an idempotency key, from the caller's secret and a salt that is
 * stored with the key for a day. The same caller with the same key gets the same secret again. Neither the store, which
 * has only the salt, nor somebody who has only the caller's secret can compute it.
 */
export const derivedSecret = (callerSecret: string, salt: string) =>
  `evd_${createHmac('sha256', callerSecret).update(`token ${salt}`).digest('base64url')}`;

/** The id never begins with a dash, which a command line would take for an option. */
export const newTokenId = () => randomBytes(9).toString('base64url').replace(/^-/, '_');

export function makeToken(store: Store, request: NewToken): Promise<{ row: TokenRow; token: string }> {
  const [id, token] = [newTokenId(), newSecret()];
  return store.transact(async (tx) => ({
    row: await insertToken(tx, request, id, token, await tx.now()),
    token,
  }));
}

export async function insertToken(
  tx: Tx,
  { expiresInMs, ...fields }: NewToken,
  id: string,
  token: string,
  createdAt: number,
): Promise<TokenRow> {
  const row: TokenRow = {
    ...fields,
    id,
    // A token without a name is named by its id: keys and leases are per name.
    name: fields.name === '' ? `${fields.role}-${id}` : fields.name,
    hash: hashOf(token),
    createdAt,
    expiresAt: expiresInMs === null ? null : createdAt + expiresInMs,
    revokedAt: null,
    lastUsedAt: null,
  };
  await tx.insert('tokens', row);
  return row;
}

/** Separates a session's id from that of the token that it was opened with. */
const SESSION = '.';
export const isSession = ({ id = NAMELESS }: { readonly id?: string }) => id.includes(SESSION);

/** The whole secret of a session: its cookie and, of one that was opened with a key, that key (F127). */
export const sessionSecret = (cookie: string, key: string | undefined) =>
  key === undefined ? cookie : `${cookie}.${key}`;

/**
 * Creates a browser's own token: it has its parent's permissions, ends no later, and can be ended alone. A
 * cookie therefore never holds a token that outlives it. With a key, the cookie is half of its secret. Null: the parent
 * has ended.
 */
export async function openSession(
  store: Store,
  parent: TokenRow,
  ms: number,
  key?: string,
): Promise<{ readonly token: string; readonly id: string; readonly forMs: number } | null> {
  const token = newSecret();
  const of = isSession(parent) ? parent.id.slice(0, parent.id.indexOf(SESSION)) : parent.id;
  return store.transact(async (tx) => {
    const now = await tx.lock('tokens', { org: parent.org, id: parent.id });
    const createdAt = await tx.now();
    if (now === undefined || !isGood(now, createdAt)) return null;
    const expiresAt = Math.min(createdAt + ms, parent.expiresAt ?? Number.POSITIVE_INFINITY);
    const id = `${of}${SESSION}${randomBytes(9).toString('base64url')}`;
    await tx.insert('tokens', {
      ...parent,
      id,
      hash: hashOf(sessionSecret(token, key)),
      createdAt,
      expiresAt,
      revokedAt: null,
      lastUsedAt: createdAt,
    });
    return { token, id, forMs: expiresAt - createdAt };
  });
}

/**
 * Ends a token and the sessions that were opened with it. Answers the rows that ended; none if there is no
 * such token.
 */
export async function revokeToken(store: Store, org: string, id: string): Promise<readonly Ended[]> {
  return store.transact(async (tx) => {
    // A session that is being opened has the lock first and ends with the others, or finds the token ended.
    await tx.lock('tokens', { org, id });
    const all = await tx.select('tokens', { org });
    const named = all.flatMap((row) => pick(row, 'id', 'hash') ?? []);
    const ended = named.filter((row) => row.id === id || row.id.startsWith(`${id}${SESSION}`));
    const now = await tx.now();
    for (const row of ended)
      await tx.update('tokens', { org, id: row.id }, { revokedAt: null }, { revokedAt: now });
    return ended;
  });
}

/** The part of an ended token by which caches find it. */
type Ended = Pick<TokenRow, 'id' | 'hash'>;

/**
 * Reads a token. Everything that decides about access must be readable, because nobody is let in on a guess;
 * the instants of creation and last use decide nothing and may be broken.
 */
export function tokenIn(row: Stored<'tokens'> | undefined): TokenRow | undefined {
  const bearer = pick(row, ...BEARER);
  const { createdAt = 0, lastUsedAt = null } = readable(row);
  return bearer && { ...bearer, createdAt, lastUsedAt };
}

const BEARER = [
  'org',
  'id',
  'hash',
  'name',
  'role',
  'target',
  'service',
  'expiresAt',
  'revokedAt',
] as const satisfies readonly (keyof TokenRow)[];

export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/**
 * Bounds how long a valid token is trusted without another look; a stream may outlive its token by 5 s (F86).
 */
const CACHED_MS = 1_000;
/**
 * Bounds how long a token that was valid is trusted while the store is down, for routes about the server
 * alone.
 */
const REMEMBERED_MS = 15 * 60_000;
const NOTED_MS = 60_000;
/** Bounds a look: the caller may have little time itself. */
const LOOK_MS = 1_000;
const MAX_CACHED = 10_000;

/**
 * Looks tokens up by their hash. Keeps what it found for a second, for calls that only read or whose verb checks the
 * token again in its transaction.
 */
export class TokenBook {
  readonly #store: Store;
  readonly #readiness: StoreProbe;
  readonly #cache = new Map<string, { readonly row: TokenRow; readonly now: number; readonly at: number }>();
  readonly #noting = new Set<string>();
  /** The hashes of secrets that were valid lately: hashing costs as much as routing a request. */
  readonly #hashes = new Map<string, string>();
  readonly #looks = new Sharing();

  constructor(store: Store, readiness = new StoreProbe(store)) {
    this.#store = store;
    this.#readiness = readiness;
  }

  /** Null: no such token, or it has ended. */
  async find(token: string): Promise<TokenRow | null> {
    const recent = this.recent(token);
    return recent === undefined ? this.#look(token) : recent;
  }

  /** The token as it was found within the last second: null if it has ended since, undefined if `find` has to look. */
  recent(token: string): TokenRow | null | undefined {
    return this.#cached(token, CACHED_MS);
  }

  /** Looks in the store now: another server may just have ended the token, and then nothing more may be written. */
  findNow(token: string): Promise<TokenRow | null> {
    return this.#look(token);
  }

  /**
   * Falls back to the last answer of the store while it is down, for routes about the server alone, which are needed most
   * then. Such a route must show nothing of any org: a token that has ended since still counts.
   */
  async findEvenIfDown(token: string): Promise<TokenRow | null> {
    try {
      return await this.find(token);
    } catch (error) {
      const cached = this.#cached(token, REMEMBERED_MS);
      if (cached === undefined) throw error;
      return cached;
    }
  }

  /** Undefined: not looked up lately. */
  #cached(token: string, ms: number): TokenRow | null | undefined {
    const hash = this.#hashes.get(token);
    const cached = hash === undefined ? undefined : this.#cache.get(hash);
    const age = cached === undefined ? Number.POSITIVE_INFINITY : performance.now() - cached.at;
    if (cached === undefined || age >= ms) return undefined;
    return isGood(cached.row, cached.now + age) ? cached.row : null;
  }

  async #look(token: string): Promise<TokenRow | null> {
    const hash = this.#hashes.get(token) ?? hashOf(token);
    const found = this.#looks.join('tokens', 1, hash, (hashes) => this.#read(hashes));
    const { row, now } = await this.#readiness.patiently(found, LOOK_MS);
    this.#cache.delete(hash);
    if (row === undefined || !isGood(row, now)) {
      this.#hashes.delete(token);
      return null;
    }
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    if (this.#hashes.size >= MAX_CACHED) this.#hashes.clear();
    this.#hashes.set(token, hash);
    this.#cache.set(hash, { row, now, at: performance.now() });
    if (now - (row.lastUsedAt ?? 0) > NOTED_MS && !this.#noting.has(hash)) await this.#note(row, now);
    return row;
  }

  /** Looks that come at the same time share one read, which begins after all of them. */
  async #read(hashes: readonly string[]): Promise<{ row: TokenRow | undefined; now: number }[]> {
    const request = [...new Set(hashes)].map((hash) => ({ table: 'tokens', where: { hash } }) as const);
    const [now, ...found] = await readSnapshotIn(this.#store, ['now', ...request], 'liveness');
    const rows = new Map(
      found
        .flat()
        .flatMap((row) => tokenIn(row) ?? [])
        .map((row) => [row.hash, row]),
    );
    return hashes.map((hash) => ({ row: rows.get(hash), now }));
  }

  forget(row: Ended): void {
    this.#cache.delete(row.hash);
  }

  async #note({ org, id, hash }: TokenRow, lastUsedAt: number): Promise<void> {
    this.#noting.add(hash);
    try {
      await this.#store.transact((tx) => tx.update('tokens', { org, id }, {}, { lastUsedAt }), 'liveness');
    } catch {
      // Noting the use is best effort: a store that takes no writes must not refuse readers.
    } finally {
      this.#noting.delete(hash);
    }
  }
}

/** `instance` is what a component calls its own process; a person's is the token. */
export function callerOf(row: TokenRow, instance = row.id): Caller {
  const { org, role, name, target, service } = row;
  return { org, role, name, instance, target, service, token: row.id };
}

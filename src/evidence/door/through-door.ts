import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../store/port.ts';
import { ended, TokenEnded, tokenKeysOf } from './bearer.ts';
import type { Door } from './door.ts';
import type { CommitNotice, Host } from './host.ts';
import { type OpenDoor, openDoor } from './open-door.ts';
import type { Prefetch } from './prefetch.ts';
import { serveBehindLock, serveByMemory } from './serve-by-memory.ts';

/** The size of one work in a shared transaction, where one piece of evidence has the size 1. */
const WORK_SIZE = 5;
/** The size of a work about a target: it may concern every service there. */
export const TARGET_SIZE = 2 * WORK_SIZE;

/** The terms on which a work shares a transaction with others. */
interface Terms {
  readonly prefetch?: readonly Prefetch[];
  readonly size?: number;
  /**
   * The work is about single services, and finds none of them by predicate: between two such, files may stay
   * open.
   */
  readonly narrow?: boolean;
  /** The work may be done by memory, if all of its transaction may: it reads by keys, as a rule by those remembered. */
  readonly chains?: boolean;
  /** The caller of the work: if another server has just ended its token, nothing more is written. */
  readonly caller?: Caller;
}

interface Job {
  readonly caller: Caller | null;
  readonly work: (door: Door) => Promise<unknown>;
  readonly prefetch: readonly Prefetch[];
  readonly narrow: boolean;
  readonly chains: boolean;
}

type JobResult = { readonly kind: 'done'; readonly value: unknown } | { readonly kind: 'token_ended' };

/** Throws to the caller of an ended token alone: the other works of the transaction go on. */
function resultValue<T>(result: JobResult): T {
  if (result.kind === 'token_ended') throw new TokenEnded();
  return result.value as T;
}

/** Runs `work` in one transaction that may write to the org's ledger: its own, or one that serves others as well. */
export async function throughDoor<T>(
  host: Host,
  org: string,
  work: (door: Door) => Promise<T>,
  { prefetch = [], size = WORK_SIZE, narrow = false, chains = false, caller }: Terms = {},
): Promise<T> {
  const serve = (jobs: readonly Job[]) => serveAll(host, org, jobs);
  const token = { table: 'tokens', keys: caller === undefined ? [] : tokenKeysOf(caller) } as const;
  const job: Job = { work, prefetch: [token, ...prefetch], narrow, chains, caller: caller ?? null };
  if (host.sharing !== undefined)
    return resultValue(await host.sharing.join(`door ${org}`, size, job, serve));
  const [result] = await serve([job]);
  return resultValue(result as JobResult);
}

async function hasEnded(door: Door, caller: Caller | null): Promise<boolean> {
  if (caller?.token === undefined) return false;
  const [tokens] = await door.tx.readAll([{ table: 'tokens', keys: tokenKeysOf(caller) }]);
  return ended(caller, tokens, door.at) !== null;
}

/** Ends a transaction whose answer is known and of which nothing is recorded. */
class Unrecorded extends Error {
  readonly answer: unknown;

  constructor(answer: unknown) {
    super('nothing of this transaction is recorded');
    this.answer = answer;
  }
}

/** Runs `work` as `throughDoor` does, and records nothing of it: the transaction is rolled back. */
export async function throughDoorUnrecorded<T>(
  host: Host,
  org: string,
  work: (door: Door) => Promise<T>,
  { prefetch = [], caller }: Terms = {},
): Promise<T> {
  try {
    return await host.store.transact(async (tx) => {
      const door = await openDoor(tx, host, org, prefetch);
      if (await hasEnded(door, caller ?? null)) throw new TokenEnded();
      throw new Unrecorded(await work(door));
    });
  } catch (error) {
    if (error instanceof Unrecorded) return error.answer as T;
    throw error;
  }
}

interface EachWork<T> {
  readonly work: (door: Door) => Promise<T>;
  readonly prefetch: readonly Prefetch[];
  readonly caller?: Caller;
}

/**
 * Several works of one caller, about single services: in one transaction, and one that fails does not fail
 * the others. A host without sharing does one after the other, up to the first that fails.
 */
export async function throughDoorEach<T>(
  host: Host,
  org: string,
  works: readonly EachWork<T>[],
): Promise<readonly PromiseSettledResult<T>[]> {
  const serve = (jobs: readonly Job[]) => serveAll(host, org, jobs);
  const jobs = works.map(({ work, prefetch, caller = null }): Job => {
    const token = { table: 'tokens', keys: caller === null ? [] : tokenKeysOf(caller) } as const;
    return { work, prefetch: [token, ...prefetch], narrow: true, chains: false, caller };
  });
  const fulfilled = (result: JobResult) => ({ status: 'fulfilled', value: resultValue<T>(result) }) as const;
  if (jobs.length === 0) return [];
  if (host.sharing !== undefined) {
    const outcomes = await host.sharing.joinAll(`door ${org}`, WORK_SIZE * jobs.length, jobs, serve);
    return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? fulfilled(outcome.value) : outcome));
  }
  const results: JobResult[] = [];
  for (const job of jobs) results.push(...(await serve([job])));
  return results.map(fulfilled);
}

/** What a transaction has done for its jobs, and what it leaves. */
interface DoneGroup {
  readonly results: JobResult[];
  readonly door: OpenDoor;
  readonly news: CommitNotice | null;
}

/**
 * Runs works one after the other, each on the rows that the ones before have written, as if they were
 * committed.
 */
async function serveAll(host: Host, org: string, jobs: readonly Job[]): Promise<JobResult[]> {
  const serve = async (tx: Tx, prefetch: readonly Prefetch[], isByMemory: boolean): Promise<DoneGroup> => {
    const door = await openDoor(tx, host, org, prefetch, isByMemory);
    const results: JobResult[] = [];
    for (const [i, { work, narrow, caller }] of jobs.entries()) {
      const isEnded = await hasEnded(door, caller);
      results.push(isEnded ? { kind: 'token_ended' } : { kind: 'done', value: await work(door) });
      if (narrow && jobs[i + 1]?.narrow) await door.saveAndCloseUnsteadyFiles();
      else await door.saveAndCloseFiles();
    }
    await door.close();
    return { results, door, news: host.onCommit === undefined ? null : await door.commitNotice() };
  };
  const prefetch = jobs.flatMap((job) => job.prefetch);
  const chains = jobs.every((job) => job.chains);
  const served =
    (chains ? await serveByMemory(host, org, prefetch, serve) : null) ??
    (await serveBehindLock(host, org, (tx) => serve(tx, prefetch, false)));
  const { results, door, news } = served;
  if (door.commit !== null) host.recent?.keep(door.commit);
  if (news !== null) host.onCommit?.(news);
  return results;
}

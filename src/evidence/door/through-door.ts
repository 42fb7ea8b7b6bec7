import type { Caller } from '../../access/caller.ts';
import { ended, TokenEnded, tokenKeysOf } from './bearer.ts';
import type { Door } from './door.ts';
import type { CommitNotice, Host } from './host.ts';
import { openDoor } from './open-door.ts';
import type { Prefetch } from './prefetch.ts';
import type { RecentCommit } from './recent-commits.ts';

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
  /** The caller of the work: if another server has just ended its token, nothing more is written. */
  readonly caller?: Caller;
}

interface Job {
  readonly caller: Caller | null;
  readonly work: (door: Door) => Promise<unknown>;
  readonly prefetch: readonly Prefetch[];
  readonly narrow: boolean;
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
  { prefetch = [], size = WORK_SIZE, narrow = false, caller }: Terms = {},
): Promise<T> {
  const serve = (jobs: readonly Job[]) => serveAll(host, org, jobs);
  const token = { table: 'tokens', keys: caller === undefined ? [] : tokenKeysOf(caller) } as const;
  const job: Job = { work, prefetch: [token, ...prefetch], narrow, caller: caller ?? null };
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
    return { work, prefetch: [token, ...prefetch], narrow: true, caller };
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

/**
 * Runs works one after the other, each on the rows that the ones before have written, as if they were
 * committed.
 */
async function serveAll(host: Host, org: string, jobs: readonly Job[]): Promise<JobResult[]> {
  let news: CommitNotice | null = null;
  let commit: RecentCommit | null = null;
  const served = await host.store.transact(async (tx) => {
    const prefetch = jobs.flatMap((job) => job.prefetch);
    const door = await openDoor(tx, host, org, prefetch);
    const results: JobResult[] = [];
    for (const [i, { work, narrow, caller }] of jobs.entries()) {
      const isEnded = await hasEnded(door, caller);
      results.push(isEnded ? { kind: 'token_ended' } : { kind: 'done', value: await work(door) });
      if (narrow && jobs[i + 1]?.narrow) await door.saveAndCloseUnsteadyFiles();
      else await door.saveAndCloseFiles();
    }
    await door.close();
    commit = door.commit;
    if (host.onCommit !== undefined) news = await door.commitNotice();
    return results;
  });
  if (commit !== null) {
    host.recent?.keep(commit);
    host.compared?.moveOn(commit);
  }
  if (news !== null) host.onCommit?.(news);
  return served;
}

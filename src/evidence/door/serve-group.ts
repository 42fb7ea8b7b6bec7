import type { Caller } from '../../access/caller.ts';
import type { Read, Tx } from '../../store/port.ts';
import { ended, tokenKeysOf } from './bearer.ts';
import type { Door } from './door.ts';
import type { CommitNotice, Host } from './host.ts';
import { type OpenDoor, openDoor } from './open-door.ts';
import type { Prefetch } from './prefetch.ts';
import { learnRows, serveBehindLock, serveByMemory, type WrittenRow } from './serve-by-memory.ts';

/** A work behind the door, or by memory. */
export interface Work {
  readonly caller: Caller | null;
  readonly work: (door: Door) => Promise<unknown>;
  readonly prefetch: readonly Prefetch[];
  readonly narrow: boolean;
  readonly chains: boolean;
}

/** Answers requests of one kind together. None of them needs the head's lock: their writes name the rows they rely on. */
export interface Together<R, A> {
  /** What is read for these requests, as far as it is known before. */
  reads(org: string, requests: readonly R[]): readonly Read[];
  /** One answer to each, in order. Repeated, it answers the same. */
  serve(
    tx: Tx,
    host: Host,
    org: string,
    requests: readonly R[],
  ): Promise<{ readonly answers: readonly A[]; readonly written: readonly WrittenRow[] }>;
}

/** A request that is answered with others of its kind. */
interface JointRequest {
  readonly together: Together<unknown, unknown>;
  readonly request: unknown;
}

export type Job = Work | JointRequest;

export type JobResult = { readonly kind: 'done'; readonly value: unknown } | { readonly kind: 'token_ended' };

const done = (value: unknown): JobResult => ({ kind: 'done', value });

export async function hasTokenEnded(door: Door, caller: Caller | null): Promise<boolean> {
  if (caller?.token === undefined) return false;
  const [tokens] = await door.tx.readAll([{ table: 'tokens', keys: tokenKeysOf(caller) }]);
  return ended(caller, tokens, door.at) !== null;
}

/** What a transaction has done for its jobs, and what it leaves. */
interface DoneGroup {
  readonly answers: readonly unknown[];
  readonly results: readonly JobResult[];
  readonly door: OpenDoor;
  readonly news: CommitNotice | null;
}

/**
 * Runs works one after the other, each on the rows that the ones before have written, as if they were committed. Requests
 * come first: in the same write if the group is done by memory, and otherwise in a transaction of their own, which holds
 * no head. If the works then fail, and the group is repeated, so are the requests, and find their answers.
 */
export async function serveGroup(host: Host, org: string, jobs: readonly Job[]): Promise<JobResult[]> {
  const works = jobs.filter((job) => 'work' in job);
  const questions = jobs.filter((job) => 'together' in job);
  const requests = questions.map(({ request }) => request);
  const together = questions[0]?.together;
  if (works.length === 0) return (await answerApart(host, org, together, requests)).map(done);
  const serve = async (
    tx: Tx,
    prefetch: readonly Prefetch[],
    asked: Together<unknown, unknown> | undefined,
    isByMemory: boolean,
  ): Promise<DoneGroup> => {
    const also = asked?.reads(org, requests) ?? [];
    const door = await openDoor(tx, host, org, prefetch, { isByMemory, also });
    const { answers } = (await asked?.serve(door.tx, host, org, requests)) ?? NOTHING_ASKED;
    const results: JobResult[] = [];
    for (const [i, { work, narrow, caller }] of works.entries()) {
      const isEnded = await hasTokenEnded(door, caller);
      results.push(isEnded ? { kind: 'token_ended' } : done(await work(door)));
      if (narrow && works[i + 1]?.narrow) await door.saveAndCloseUnsteadyFiles();
      else await door.saveAndCloseFiles();
    }
    await door.close();
    return { answers, results, door, news: host.onCommit === undefined ? null : await door.commitNotice() };
  };
  const prefetch = works.flatMap((job) => job.prefetch);
  const chains = works.every((job) => job.chains);
  let served = chains ? await serveByMemory(host, org, (tx) => serve(tx, prefetch, together, true)) : null;
  if (served === null) {
    const answers = await answerApart(host, org, together, requests);
    served = {
      ...(await serveBehindLock(host, org, (tx) => serve(tx, prefetch, undefined, false))),
      answers,
    };
  }
  const { answers, results, door, news } = served;
  if (door.commit !== null) host.recent?.keep(door.commit);
  if (news !== null) host.onCommit?.(news);
  const [ofWorks, ofQuestions] = [results.values(), answers.values()];
  return jobs.map((job) =>
    'work' in job ? (ofWorks.next().value as JobResult) : done(ofQuestions.next().value),
  );
}

const NOTHING_ASKED = { answers: [], written: [] };

/** Answers requests in a transaction without the head, and remembers what it wrote. */
async function answerApart(
  host: Host,
  org: string,
  together: Together<unknown, unknown> | undefined,
  requests: readonly unknown[],
): Promise<readonly unknown[]> {
  if (together === undefined) return [];
  const { answers, written } = await host.store.transact((tx) => together.serve(tx, host, org, requests));
  learnRows(host, org, written);
  return answers;
}

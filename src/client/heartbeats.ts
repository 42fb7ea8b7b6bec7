import type { HeartbeatAnswer } from '../contract/answers/fleet.ts';
import { type Client, ProblemAnswer } from './client.ts';

/** The lease that a heartbeat extends. */
interface BeatenLease {
  readonly id: string;
  readonly fence: string;
}

interface BeatOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Sends one heartbeat; rejects with the refusal of this lease, or with the signal's reason. */
export type SendBeat = (lease: BeatenLease, options: BeatOptions) => Promise<HeartbeatAnswer>;

/** Each heartbeat is a request of its own. */
export const beatAlone =
  (client: Client): SendBeat =>
  ({ id, fence }, options) =>
    client.call<HeartbeatAnswer>(
      'POST',
      `/v1/leases/${encodeURIComponent(id)}/heartbeat`,
      { fence },
      options,
    );

interface WaitingBeat {
  readonly lease: BeatenLease;
  readonly options: BeatOptions;
  readonly done: (answer: HeartbeatAnswer) => void;
  readonly fail: (error: unknown) => void;
}

type BeatAnswers = {
  readonly beats: readonly (HeartbeatAnswer | { readonly code: string; readonly detail: string })[];
};

/**
 * Heartbeats that leases of one token send at the same moment are one request, each answered by itself. A lease that ends
 * meanwhile waits no longer, and the others go on.
 */
export function beatTogether(client: Client): SendBeat {
  let waiting: WaitingBeat[] = [];
  const send = async () => {
    const beats = waiting;
    waiting = [];
    try {
      for (const [i, answer] of (await answersTo(client, beats)).entries()) {
        if ('code' in answer)
          beats[i]?.fail(new ProblemAnswer({ title: 'The lease is lost', status: 409, ...answer }));
        else beats[i]?.done(answer);
      }
      for (const { fail } of beats) fail(new Error('a heartbeat was left without an answer'));
    } catch (error) {
      for (const { fail } of beats) fail(error);
    }
  };
  return async (lease, options) => {
    const { signal } = options;
    signal.throwIfAborted();
    let end = () => {};
    const answer = new Promise<HeartbeatAnswer>((done, fail) => {
      end = () => fail(signal.reason);
      if (waiting.length === 0) setImmediate(() => void send());
      waiting.push({ lease, options, done, fail });
    });
    signal.addEventListener('abort', end, { once: true });
    return answer.finally(() => signal.removeEventListener('abort', end));
  };
}

async function answersTo(client: Client, beats: readonly WaitingBeat[]): Promise<BeatAnswers['beats']> {
  const [only] = beats;
  if (only !== undefined && beats.length === 1) return [await beatAlone(client)(only.lease, only.options)];
  const timeoutMs = Math.min(...beats.map(({ options }) => options.timeoutMs));
  const body = { beats: beats.map(({ lease: { id, fence } }) => ({ id, fence })) };
  return (await client.call<BeatAnswers>('POST', '/v1/leases/heartbeats', body, { timeoutMs })).beats;
}

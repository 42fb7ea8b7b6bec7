import type { PodRecord } from '../cache/pod.ts';
import {
  type AskedPod,
  type AskOutcome,
  type AskVantage,
  type PodAnswer,
  podAnswer,
  podAsked,
  portOf,
  restartsOf,
} from '../observe/asked-pods.ts';

/** Sends one request to a pod; never rejects. */
export type AskPod = (pod: PodRecord, port: number) => Promise<AskOutcome>;

const ROUND_MS = 5_000;
/** Caps the load on apps and API server: with more pods a round takes longer. */
const PER_SECOND = 40;
const AT_ONCE = 16;

/**
 * Asks every app that may be asked, one after the other, for as long as the rule of the target allows it. The answers are
 * kept by pod; what they mean is decided in asked-pods.ts.
 */
export class AppAsker {
  readonly vantage: AskVantage;
  readonly #ask: AskPod;
  readonly #pods: () => Iterable<PodRecord>;
  readonly #heard: (pod: PodRecord, hasChanged: boolean) => void;
  #asked = new Map<string, AskedPod>();
  #roundMs = ROUND_MS;
  #stopped: AbortController | null = null;

  /** @param heard called for each answer, and when a pod stops answering */
  constructor(
    vantage: AskVantage,
    ask: AskPod,
    pods: () => Iterable<PodRecord>,
    heard: (pod: PodRecord, hasChanged: boolean) => void,
  ) {
    this.vantage = vantage;
    this.#ask = ask;
    this.#pods = pods;
    this.#heard = heard;
  }

  get isAsking(): boolean {
    return this.#stopped !== null;
  }

  start(): void {
    if (this.#stopped !== null) return;
    const stopped = new AbortController();
    this.#stopped = stopped;
    void this.#askForEver(stopped.signal);
  }

  /** Forgets the answers under one rule when the next begins. */
  stop(): void {
    this.#stopped?.abort();
    this.#stopped = null;
    this.#asked = new Map();
  }

  /** Asks a pod before its turn. */
  askSoon(pod: PodRecord): void {
    if (this.#stopped !== null) void this.#askOne(pod, this.#stopped.signal);
  }

  answerOf(pod: PodRecord, now: number): PodAnswer {
    return podAnswer(this.#asked.get(pod.uid), restartsOf(pod), now, this.#roundMs);
  }

  async #askForEver(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pods = [...this.#pods()].filter((pod) => portOf(pod) !== null);
      this.#roundMs = Math.max(ROUND_MS, (pods.length * 1000) / PER_SECOND);
      const known = new Set(pods.map(({ uid }) => uid));
      for (const uid of this.#asked.keys()) if (!known.has(uid)) this.#asked.delete(uid);
      const begun = performance.now();
      for (let i = 0; i < pods.length && !signal.aborted; i += AT_ONCE) {
        await Promise.all(pods.slice(i, i + AT_ONCE).map((pod) => this.#askOne(pod, signal)));
        const pace = begun + ((i + AT_ONCE) * 1000) / PER_SECOND - performance.now();
        if (i + AT_ONCE < pods.length) await pause(pace, signal);
      }
      await pause(begun + this.#roundMs - performance.now(), signal);
    }
  }

  async #askOne(pod: PodRecord, signal: AbortSignal): Promise<void> {
    const port = portOf(pod);
    if (port === null) return;
    const before = this.answerOf(pod, performance.now());
    const outcome = await this.#ask(pod, port);
    if (signal.aborted) return;
    const now = performance.now();
    const restarts = restartsOf(pod);
    this.#asked.set(pod.uid, podAsked(this.#asked.get(pod.uid), restarts, outcome, now));
    const hasChanged = this.answerOf(pod, now) !== before;
    if (hasChanged || outcome === 'answered') this.#heard(pod, hasChanged);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      done();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    signal.addEventListener('abort', end);
  });
}

import type { Stamp } from '../../contract/intent.ts';
import type { CliContext } from '../context.ts';
import { isActive, type ProofView } from './view.ts';

/** Lines that were written before the screen began to follow. */
const EARLIER_LINES = 1_000;

/** The output of one build, followed while it is made. */
export class BuildOutput {
  readonly #context: CliContext;
  readonly #take: (line: string) => void;
  readonly #taken = new Set<string>();
  readonly #end = new AbortController();
  #isFollowing = false;

  /** @param take called with each line, once */
  constructor(context: CliContext, take: (line: string) => void) {
    this.#context = context;
    this.#take = take;
  }

  /** Begins to follow once the requested attempt is being built; does nothing if it has begun. */
  followWhileMade({ claim, requested: { revision, attempt } }: ProofView): void {
    const isMade = claim.state === 'building' && isActive({ claim, requested: { revision, attempt } });
    if (this.#isFollowing || !isMade) return;
    this.#isFollowing = true;
    // The stream of events decides whether the server is there: a log that cannot be followed is left out.
    this.#followed(claim.service, { revision, attempt }).catch(() => {});
  }

  /** Takes the lines that did not come while it followed. */
  async complete(service: string, { revision, attempt }: Stamp): Promise<void> {
    this.stop();
    const { people } = this.#context;
    const query = { stream: 'build', revision, attempt, tail: EARLIER_LINES } as const;
    const lines = await people.logs(service, query).catch(() => []);
    for (const { seq, line } of lines) this.#takeOnce(seq, line);
  }

  stop(): void {
    this.#end.abort();
  }

  async #followed(service: string, of: Stamp): Promise<void> {
    const signal = AbortSignal.any([this.#context.signal, this.#end.signal]);
    const query = { stream: 'build', ...of, tail: EARLIER_LINES } as const;
    for await (const received of this.#context.people.followLogs(service, query, { signal }))
      if (received.event === 'log' && !signal.aborted) this.#takeOnce(received.data.seq, received.data.line);
  }

  /** A connection that is resumed sends lines again. */
  #takeOnce(seq: string, line: string): void {
    if (this.#taken.has(seq)) return;
    this.#taken.add(seq);
    this.#take(line);
  }
}

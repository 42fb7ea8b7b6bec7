import type { Claim } from '../src/contract/claim.ts';
import type { Served } from './served.ts';

export interface Received {
  /** By `clock()`. */
  readonly at: number;
  readonly claim: Claim;
}

/** One clock for us and for the apps that we start: both know it to a fraction of a millisecond. */
export const clock = (): number => performance.timeOrigin + performance.now();

const PATIENCE_MS = 120_000;

/** A viewer of a service's stream: keeps each claim that it receives, and when. */
export class BenchViewer {
  readonly #received: Received[] = [];
  readonly #waiting = new Set<() => void>();
  #stop = () => {};

  /** Resolves when the first claim is there. */
  static async open(served: Served, service: string): Promise<BenchViewer> {
    const viewer = new BenchViewer();
    viewer.#stop = await served.watch(`/v1/services/${service}/events`, (event, data) => {
      if (event !== 'claim' && event !== 'transition') return;
      const payload = JSON.parse(data) as Claim & { claim?: Claim };
      viewer.#received.push({ at: clock(), claim: payload.claim ?? payload });
      for (const look of [...viewer.#waiting]) look();
    });
    await viewer.when(() => true);
    return viewer;
  }

  close(): void {
    this.#stop();
  }

  /** The first claim like this that was received since then. */
  when(is: (claim: Claim) => boolean, since = 0): Promise<Received> {
    return new Promise((done, fail) => {
      const look = () => {
        const found = this.#received.find(({ at, claim }) => at >= since && is(claim));
        if (found === undefined) return;
        end();
        done(found);
      };
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      const timer = setTimeout(() => {
        end();
        const last = this.#received.at(-1)?.claim;
        fail(
          new Error(`not received within ${PATIENCE_MS} ms; last: ${last?.state}, ${last?.message.title}`),
        );
      }, PATIENCE_MS);
      this.#waiting.add(look);
      look();
    });
  }
}

/** That revision, in that state. */
export const is =
  (state: Claim['state'], revision?: number) =>
  (claim: Claim): boolean =>
    claim.state === state && (revision === undefined || claim.desired.revision === revision);

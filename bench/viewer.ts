import type { Claim } from '../src/contract/claim.ts';
import type { Served } from './served.ts';

export interface Told {
  /** By `clock()`. */
  readonly at: number;
  readonly claim: Claim;
}

/** One clock for us and for the apps that we start: both know it to a fraction of a millisecond. */
export const clock = (): number => performance.timeOrigin + performance.now();

const PATIENCE_MS = 120_000;

/** Somebody who watches a service on its stream: what was told, and when. */
export class Viewer {
  readonly #told: Told[] = [];
  readonly #waiting = new Set<() => void>();
  #stop = () => {};

  /** Resolves when the first claim is there. */
  static async open(served: Served, service: string): Promise<Viewer> {
    const viewer = new Viewer();
    viewer.#stop = await served.watch(`/v1/services/${service}/events`, (event, data) => {
      if (event !== 'claim' && event !== 'transition') return;
      const told = JSON.parse(data) as Claim & { claim?: Claim };
      viewer.#told.push({ at: clock(), claim: told.claim ?? told });
      for (const look of [...viewer.#waiting]) look();
    });
    await viewer.when(() => true);
    return viewer;
  }

  close(): void {
    this.#stop();
  }

  /** The first claim like this that was told since then. */
  when(is: (claim: Claim) => boolean, since = 0): Promise<Told> {
    return new Promise((done, fail) => {
      const look = () => {
        const found = this.#told.find(({ at, claim }) => at >= since && is(claim));
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
        const last = this.#told.at(-1)?.claim;
        fail(new Error(`not told within ${PATIENCE_MS} ms; last: ${last?.state}, ${last?.message.title}`));
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

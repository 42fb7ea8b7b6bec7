import type { Client } from '../../src/client/client.ts';
import type { Page, ServiceItem } from '../../src/contract/answers/views.ts';
import type { Claim } from '../../src/contract/claim.ts';
import type { ClaimReading } from './reading.ts';

const TIMEOUT_MS = 10_000;

/** Somebody who asks one server again and again: for the list, and for the status of one service after the other. */
export class ClaimPoll {
  readonly #client: Client;
  readonly #name: string;
  readonly #refs: readonly string[];
  readonly #fresh: ClaimReading[] = [];
  readonly #waiting = new Set<string>();
  #turn = 0;

  constructor(name: string, client: Client, refs: readonly string[]) {
    this.#name = name;
    this.#client = client;
    this.#refs = refs;
  }

  /** Begins the next requests, unless the last ones are still without an answer. */
  look(): void {
    this.#read('list', '/v1/services?limit=200', (page: Page<ServiceItem>) =>
      page.items.map(({ claim }) => claim),
    );
    const ref = this.#refs[this.#turn++ % this.#refs.length] ?? '';
    this.#read('status', `/v1/services/${ref}/status`, (claim: Claim) => [claim]);
  }

  /** Claims that have arrived since the last call. */
  take(): ClaimReading[] {
    return this.#fresh.splice(0);
  }

  #read<T>(via: string, path: string, claimsIn: (answer: T) => readonly Claim[]): void {
    if (this.#waiting.has(via)) return;
    this.#waiting.add(via);
    const from = performance.now();
    this.#client
      .call<T>('GET', path, undefined, { timeoutMs: TIMEOUT_MS })
      .then((answer) => {
        const to = performance.now();
        for (const claim of claimsIn(answer))
          this.#fresh.push({ via: `${this.#name} ${via}`, claim, from, to });
      })
      // Nobody is shown anything while nothing answers.
      .catch(() => {})
      .finally(() => this.#waiting.delete(via));
  }
}

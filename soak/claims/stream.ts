import type { Client } from '../../src/client/client.ts';
import { follow, type StreamEvent } from '../../src/client/events.ts';
import type { Claim } from '../../src/contract/claim.ts';
import { compareDigits, type Digits } from '../../src/contract/digits.ts';
import {
  isFresh,
  received,
  type ServerContact,
  silenceMs,
} from '../../src/contract/presentation/server-contact.ts';
import type { ClaimReading } from './reading.ts';

const AGAIN_MS = 1_000;

/** Somebody who watches the stream of one server, and shows a claim only while he may. */
export class StreamWatch {
  readonly #name: string;
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #claims = new Map<string, Claim>();
  readonly #complain: (words: string) => void;
  /** The newest transition that was told; null: none yet, or everything begins anew. */
  #toldUpTo: Digits | null = null;
  #contact: ServerContact = { contactAt: performance.now(), serverAt: 0, fresh: {}, lost: true };

  constructor(name: string, client: Client, complain: (words: string) => void) {
    this.#name = name;
    this.#complain = complain;
    this.#client = client;
    void this.#watch();
  }

  stop(): void {
    this.#stop.abort();
  }

  /** The claims on the screen at this instant: nothing of a server that is silent, nothing that is no longer fresh. */
  view(now: number): ClaimReading[] {
    if (this.#contact.lost || silenceMs(this.#contact, now) !== null) return [];
    return [...this.#claims.values()]
      .filter((claim) => isFresh(this.#contact, claim, now))
      .map((claim) => ({ via: `${this.#name} stream`, claim, from: now, to: now }));
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const options = { signal, giveUpAfterMs: Number.POSITIVE_INFINITY };
        for await (const event of follow(this.#client, '/v1/events', options)) this.#receive(event);
      } catch {
        // A refusal: whoever watches tries again.
        this.#contact = { ...this.#contact, lost: true };
        this.#toldUpTo = null;
        await new Promise((again) => setTimeout(again, AGAIN_MS));
      }
    }
  }

  #receive(event: StreamEvent): void {
    const now = performance.now();
    switch (event.event) {
      case 'lost':
        this.#contact = { ...this.#contact, lost: true };
        break;
      case 'reset':
        this.#claims.clear();
        this.#toldUpTo = null;
        break;
      case 'fresh': {
        const fresh = { ...this.#contact.fresh, ...event.data.targets };
        this.#contact = { ...received(this.#contact, now, event.data.now), fresh };
        break;
      }
      case 'claim':
        this.#show(event.data, now);
        break;
      case 'transition':
        this.#tellOnce(event.id);
        if (event.data.claim !== null) this.#show(event.data.claim, now);
        break;
      case 'open':
      case 'log':
        break;
    }
  }

  /** No transition comes twice, and none after a later one (S12). */
  #tellOnce(id: Digits | null): void {
    const before = this.#toldUpTo;
    if (id === null) return;
    if (before !== null && compareDigits(id, before) <= 0)
      this.#complain(`the stream of ${this.#name} told ${id} after ${before}`);
    this.#toldUpTo = id;
  }

  #show(claim: Claim, now: number): void {
    this.#contact = received(this.#contact, now, claim.now);
    const before = this.#claims.get(claim.service);
    if (before === undefined || compareDigits(claim.position, before.position) >= 0)
      this.#claims.set(claim.service, claim);
  }
}

import type { Host } from '../../evidence/host.ts';
import { Refused } from '../problems.ts';
import type { Wakes } from '../wakes.ts';
import { OrgFeed } from './org-feed.ts';
import type { Sse } from './sse.ts';

/** The feed of each org that somebody watches, and how many streams it has open (F88). */
export class Feeds {
  readonly #host: Host;
  readonly #wakes: Wakes;
  readonly #max: number;
  readonly #failed: (error: unknown) => void;
  readonly #feeds = new Map<string, OrgFeed>();
  readonly #open = new Map<string, Set<Sse>>();

  constructor(host: Host, wakes: Wakes, max: number, failed: (error: unknown) => void) {
    this.#host = host;
    this.#wakes = wakes;
    this.#max = max;
    this.#failed = failed;
  }

  of(org: string): OrgFeed {
    const known = this.#feeds.get(org);
    if (known !== undefined) return known;
    const feed = new OrgFeed(this.#host, org, this.#wakes, this.#failed);
    this.#feeds.set(org, feed);
    return feed;
  }

  get streams(): number {
    let streams = 0;
    for (const set of this.#open.values()) streams += set.size;
    return streams;
  }

  /** Room for one more stream of the org. */
  makeRoom(org: string): void {
    if ((this.#open.get(org)?.size ?? 0) < this.#max) return;
    throw new Refused('too_many', `This org has ${this.#max} streams open, which is the limit.`, {}, 5);
  }

  /** Counts the stream until it closes; the feed of an org that nobody watches any more rests. */
  hold(org: string, sse: Sse): void {
    const set = this.#open.get(org) ?? new Set();
    this.#open.set(org, set.add(sse));
    void sse.closed.then(() => {
      set.delete(sse);
      if (set.size > 0) return;
      this.#open.delete(org);
      this.#feeds.get(org)?.stop();
      this.#feeds.delete(org);
    });
  }

  /** Ends every stream with a hint to come back, here or at another server. */
  stop(): void {
    for (const set of this.#open.values()) for (const sse of set) sse.end('this server stops; reconnect');
    for (const feed of this.#feeds.values()) feed.stop();
    this.#feeds.clear();
  }
}

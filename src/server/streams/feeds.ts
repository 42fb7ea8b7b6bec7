import { takingTurns } from '../../event-loop/slices.ts';
import type { Host } from '../../evidence/door/host.ts';
import { Refused } from '../http/problems.ts';
import type { Wakes } from '../wakes.ts';
import { OrgFeed } from './org-feed.ts';
import type { Sse } from './sse.ts';

interface Watched {
  readonly feed: OrgFeed;
  /** Streams that are open or about to be. */
  places: number;
}

/** A stream's place in its org: taken before anything else, given up when it closes or comes to nothing. */
export interface Place {
  readonly feed: OrgFeed;
  leave(): void;
}

const STOPS = 'this server stops; reconnect';

/** The feed of each org that somebody watches, and how many streams it has open (F88). */
export class Feeds {
  readonly #host: Host;
  readonly #wakes: Wakes;
  readonly #max: number;
  readonly #failed: (error: unknown) => void;
  readonly #orgs = new Map<string, Watched>();
  readonly #open = new Set<Sse>();
  /** Who is told what was before: after a restart or a restore that may be everybody, and much. */
  readonly turn = takingTurns();
  #stopped = false;

  constructor(host: Host, wakes: Wakes, max: number, failed: (error: unknown) => void) {
    this.#host = host;
    this.#wakes = wakes;
    this.#max = max;
    this.#failed = failed;
  }

  get streams(): number {
    return this.#open.size;
  }

  /** The feed lives as long as anybody has a place: who comes while the last one leaves must not join a dead one. */
  enter(org: string): Place {
    const known = this.#orgs.get(org);
    if ((known?.places ?? 0) >= this.#max)
      throw new Refused(
        'too_many',
        `This org has ${this.#max} streams open, which is the limit.`,
        { limit: this.#max },
        5,
      );
    const watched = known ?? { feed: new OrgFeed(this.#host, org, this.#wakes, this.#failed), places: 0 };
    this.#orgs.set(org, watched);
    watched.places += 1;
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      watched.places -= 1;
      if (watched.places > 0) return;
      watched.feed.stop();
      if (this.#orgs.get(org) === watched) this.#orgs.delete(org);
    };
    return { feed: watched.feed, leave };
  }

  /** A stream that is open keeps its place until it closes. */
  hold(sse: Sse, place: Place): void {
    this.#open.add(sse);
    void sse.closed.then(() => {
      this.#open.delete(sse);
      place.leave();
    });
    if (this.#stopped) sse.end(STOPS);
  }

  /** Ends every stream with a hint to come back, here or at another server. */
  stop(): void {
    this.#stopped = true;
    for (const sse of this.#open) sse.end(STOPS);
    for (const { feed } of this.#orgs.values()) feed.stop();
  }
}

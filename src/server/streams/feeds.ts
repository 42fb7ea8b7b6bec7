import { takingTurns } from '../../event-loop/slices.ts';
import type { Host } from '../../evidence/door/host.ts';
import type { Hints } from '../hints.ts';
import { Refused } from '../http/problems.ts';
import { OrgFeed } from './org-feed.ts';

interface WatchedOrg {
  readonly feed: OrgFeed;
  /** Counts streams that are open or about to open. */
  places: number;
}

/** A stream to one client, by any protocol. */
export interface OpenStream {
  end(why: string): void;
  /** Resolves when nothing is sent any more. */
  readonly closed: Promise<void>;
}

/** A stream's place in its org: taken before anything else, given up when the stream closes or does not open. */
export interface StreamSlot {
  readonly feed: OrgFeed;
  leave(): void;
}

const STOPS = 'this server stops; reconnect';

/** Keeps the feed of each org that is watched, and limits how many streams each has open (F88). */
export class Feeds {
  readonly #host: Host;
  readonly #hints: Hints;
  readonly #max: number;
  readonly #failed: (error: unknown) => void;
  readonly #orgs = new Map<string, WatchedOrg>();
  readonly #open = new Set<OpenStream>();
  /** Clients that receive the past take turns: after a restart that may be all of them, and much for each. */
  readonly turn = takingTurns();
  #stopped = false;

  constructor(host: Host, hints: Hints, max: number, failed: (error: unknown) => void) {
    this.#host = host;
    this.#hints = hints;
    this.#max = max;
    this.#failed = failed;
  }

  get streams(): number {
    return this.#open.size;
  }

  /** A feed lives while it has a place: a stream that opens while the last one closes must not join a stopped feed. */
  enter(org: string): StreamSlot {
    const open = this.#orgs.get(org);
    if ((open?.places ?? 0) >= this.#max)
      throw new Refused(
        'too_many',
        `This org has ${this.#max} streams open, which is the limit.`,
        { limit: this.#max },
        5,
      );
    const watched = open ?? { feed: new OrgFeed(this.#host, org, this.#hints, this.#failed), places: 0 };
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

  /** An open stream keeps its place until it closes, and is ended when the server stops. */
  hold(stream: OpenStream, place: StreamSlot): void {
    this.#open.add(stream);
    void stream.closed.then(() => {
      this.#open.delete(stream);
      place.leave();
    });
    if (this.#stopped) stream.end(STOPS);
  }

  /** Ends every stream with a hint to reconnect, here or at another server. */
  stop(): void {
    this.#stopped = true;
    for (const stream of this.#open) stream.end(STOPS);
    for (const { feed } of this.#orgs.values()) feed.stop();
  }
}

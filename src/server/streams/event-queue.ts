import { compareDigits, type Digits } from '../../contract/digits.ts';
import type { WatchEvent } from './watch-event.ts';

/** About 256 KiB of transitions: a quarter of what an SSE reader may be behind, because it is sent in one burst. */
const MAX_HELD = 100;
/** A consumer that takes nothing while this many live events arrive is ended; it resumes after the last id it has. */
const MAX_LIVE = 1_000;

/**
 * The events between an org's feed, which pushes them, and one consumer, which takes them at its own pace. Until `goLive`
 * it holds them back for a consumer that still receives the past; more than MAX_HELD are dropped, because they are on
 * the ledger and can be read from there.
 */
export class EventQueue {
  #events: WatchEvent[] = [];
  #held = 0;
  /** Null while the consumer still receives the past. */
  #liveAfter: Digits | null = null;
  #why: string | null = null;
  #wake: (() => void) | null = null;
  #resolveEnded: () => void = () => {};
  /** Resolves when the watch is to end, though the consumer may not have taken everything yet. */
  readonly ended = new Promise<void>((resolve) => {
    this.#resolveEnded = resolve;
  });

  /** The reason of the end; null while there is none. */
  get why(): string | null {
    return this.#why;
  }

  get isLive(): boolean {
    return this.#liveAfter !== null;
  }

  /** More came than is held back: the consumer must read on from the ledger. */
  get hasOverflowed(): boolean {
    return this.#liveAfter === null && this.#held > MAX_HELD;
  }

  push(event: WatchEvent): void {
    if (this.#why !== null) return;
    if (this.#liveAfter === null) {
      this.#held += 1;
      if (this.hasOverflowed) this.#events = [];
      else this.#events.push(event);
      return;
    }
    if (!isAfter(event, this.#liveAfter)) return;
    if (this.#events.length >= MAX_LIVE) this.end('events were not taken in time; reconnect');
    else this.#events.push(event);
    this.#wake?.();
  }

  /** Drops what is held back. */
  clear(): void {
    this.#events = [];
    this.#held = 0;
  }

  /**
   * Passes events to the consumer from now on, first those that were held back; the consumer has the
   * transitions up to `position` (S12, F14).
   */
  goLive(position: Digits): void {
    this.#liveAfter = position;
    this.#events = this.#events.filter((event) => isAfter(event, position));
  }

  /** Live events that were pushed before the end can still be taken. */
  end(why: string): void {
    if (this.#why !== null) return;
    this.#why = why;
    this.#resolveEnded();
    this.#wake?.();
  }

  /** The next live event; null at the end. One consumer takes at a time. */
  async take(): Promise<WatchEvent | null> {
    while (this.#events.length === 0 && this.#why === null)
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    return this.#events.shift() ?? null;
  }
}

/** Only transitions can have been sent before: they are on the ledger as well as live. */
const isAfter = (event: WatchEvent, position: Digits) =>
  event.event !== 'transition' || compareDigits(event.id, position) > 0;

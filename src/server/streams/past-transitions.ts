import type { Host } from '../../evidence/door/host.ts';
import { claimAfter } from '../../evidence/read.ts';
import type { TransitionRow } from '../../store/schema.ts';
import type { Audience } from './last-read.ts';
import { type TransitionEvent, transitionEvent } from './watch-event.ts';

/** About ten megabytes with the texts of the events. */
const MAX_KEPT = 1_000;

/**
 * Caches the events of an org's past transitions. After a restart every client resumes, and all of them
 * missed the same: each event is computed once, for clients that resume together or a moment later. A cached
 * event never becomes outdated: a transition and the claim after it are of the past.
 */
export class PastTransitions {
  readonly #host: Host;
  readonly #org: string;
  /** The least recently used comes first. */
  readonly #events = new Map<string, Promise<TransitionEvent>>();

  constructor(host: Host, org: string) {
    this.#host = host;
    this.#org = org;
  }

  of(row: TransitionRow, audience: Audience): Promise<TransitionEvent> {
    // The key contains the content: after a restore another transition may have this position until the
    // recovery is recorded.
    const key = JSON.stringify([row.position, row.service, row.at, row.to, audience]);
    const event = this.#events.get(key) ?? this.#compute(row, audience);
    this.#events.delete(key);
    this.#events.set(key, event);
    const [oldest] = this.#events.keys();
    if (this.#events.size > MAX_KEPT && oldest !== undefined) this.#events.delete(oldest);
    // A store that failed now may answer the next caller.
    event.catch(() => this.#events.delete(key));
    return event;
  }

  async #compute(row: TransitionRow, audience: Audience): Promise<TransitionEvent> {
    return transitionEvent(row, await claimAfter(this.#host, this.#org, row, audience));
  }
}

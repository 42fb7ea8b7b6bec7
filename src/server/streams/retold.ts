import type { Host } from '../../evidence/door/host.ts';
import { claimAfter } from '../../evidence/read.ts';
import type { TransitionRow } from '../../store/schema.ts';
import type { Audience } from './last-known.ts';
import { eventText } from './sse.ts';
import { transitionEvent } from './transition-event.ts';

/** About three megabytes of what was asked for last. */
const KEPT = 1_000;

/**
 * Transitions of an org as those are told who missed them. After a restart that is everybody, and what each of them
 * missed is the same: it is computed once, for those who ask at once as for those who come a moment later. Nothing of it
 * ever becomes another: a transition and the claim that it left are of the past.
 */
export class Retold {
  readonly #host: Host;
  readonly #org: string;
  /** The one that was asked for longest ago comes first. */
  readonly #texts = new Map<string, Promise<string>>();

  constructor(host: Host, org: string) {
    this.#host = host;
    this.#org = org;
  }

  of(row: TransitionRow, audience: Audience): Promise<string> {
    // With what it says: where a store was put back, another may stand at its position until that is found out.
    const name = JSON.stringify([row.position, row.service, row.at, row.to, audience]);
    const text = this.#texts.get(name) ?? this.#tell(row, audience);
    this.#texts.delete(name);
    this.#texts.set(name, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > KEPT && oldest !== undefined) this.#texts.delete(oldest);
    // A store that did not answer may answer the next who asks.
    text.catch(() => this.#texts.delete(name));
    return text;
  }

  async #tell(row: TransitionRow, audience: Audience): Promise<string> {
    const after = await claimAfter(this.#host, this.#org, row, audience);
    return eventText('transition', transitionEvent(row, after), row.position);
  }
}

import { type Binding, isBoundTo } from '../../access/binding.ts';
import { targetOf } from '../../contract/names.ts';
import type { Audience } from './last-read.ts';
import type { ClientEvent } from './watch-event.ts';

/** One watch as its org's feed serves it. */
export interface Viewer {
  /** Null: all services of the org. */
  readonly service: string | null;
  /** Limits which services the viewer may see. */
  readonly binding: Binding;
  readonly audience: Audience;
  /** Receives the same event object as every viewer of its kind. */
  readonly send: (event: ClientEvent) => void;
  /** Called each time the ledger has been read up to its head. */
  readonly caughtUp?: () => void;
}

/** The viewers of one org. */
export class Viewers {
  /** Replaced by each change, so that whoever goes through it sees all of them, and is not disturbed. */
  #all: readonly Viewer[] = [];

  get all(): readonly Viewer[] {
    return this.#all;
  }

  get size(): number {
    return this.#all.length;
  }

  add(viewer: Viewer): () => void {
    this.#all = [...this.#all, viewer];
    return () => {
      this.#all = this.#all.filter((other) => other !== viewer);
    };
  }

  clear(): void {
    this.#all = [];
  }

  /** The viewers that have this service in view. */
  of(service: string, audience: Audience): readonly Viewer[] {
    return this.all.filter(
      (viewer) =>
        viewer.audience === audience &&
        (viewer.service === null ? isBoundTo(viewer.binding, service) : viewer.service === service),
    );
  }

  /** The viewers that watch this service by itself: only they receive claims that time alone has changed. */
  ofAlone(service: string, audience: Audience): readonly Viewer[] {
    return this.of(service, audience).filter((viewer) => viewer.service !== null);
  }

  hasOneOfAlone(service: string): boolean {
    return this.all.some((viewer) => viewer.service === service);
  }

  /** The audience to read a service for: what is read for an operator serves a user too. */
  widestAudience(service: string): Audience {
    return this.of(service, 'operator').length > 0 ? 'operator' : 'user';
  }

  /** Some viewer is bound to certain services. */
  get isAnyNarrow(): boolean {
    return this.all.some((viewer) => targetsInView(viewer).service !== '*');
  }
}

/** The targets in view: a viewer of one service has its target in view, and no other. */
export const targetsInView = ({ service, binding }: Viewer): Binding =>
  service === null ? binding : { target: targetOf(service), service: '*' };

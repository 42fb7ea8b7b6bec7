import type { Answer } from '../contract/problem.ts';
import { authorize, type Bearer } from './authorize.ts';

/**
 * A service that its caller may read. Reads take it in place of a name, and only `authorized` creates one: a front
 * door that does not ask for permission has nothing to pass on, and does not compile (F109).
 */
export class VisibleService {
  // Private, so that an object with the same fields is none.
  readonly #org: string;
  readonly #service: string;

  private constructor(org: string, service: string) {
    this.#org = org;
    this.#service = service;
  }

  get org(): string {
    return this.#org;
  }

  /** The full name. */
  get service(): string {
    return this.#service;
  }

  static authorized(
    caller: Bearer,
    operation: 'read' | 'inspect',
    service: string,
  ): Answer<{ readonly visible: VisibleService }> {
    const allowed = authorize(caller, { operation, service });
    return allowed.ok ? { ok: true, visible: new VisibleService(caller.org, service) } : allowed;
  }
}

import type { Instance } from '../contract/report.ts';
import { EXITS_KEPT, stabilityWindow } from '../contract/stability.ts';

interface RememberedExits {
  readonly restarts: number;
  /** Instants in the server's time. */
  readonly exits: readonly number[];
  readonly reason: Instance['reason'];
  /** Its runtime called it a crash loop before it was up again. */
  readonly isCalledLoop: boolean;
}

/**
 * The exits of the instances of one scope, as the server finds them in its reports: an instance that exited has a longer
 * window, at whose end it must be reported once more (F113). An agent that starts anew remembers none; then the full
 * reports show that the window is over.
 */
export class ExitMemory {
  #known: ReadonlyMap<string, RememberedExits> = new Map();

  /** Takes in an observation as of an instant in the server's time. */
  observe(instances: readonly Instance[], at: number): void {
    const known = this.#known;
    const next = new Map<string, RememberedExits>();
    for (const { uid, restarts, restlessSince, reason } of instances) {
      const before = known.get(uid) ?? {
        ...{ restarts: restlessSince == null ? restarts : 0, exits: [] },
        ...{ reason: null, isCalledLoop: false },
      };
      const grown = Math.min(EXITS_KEPT, Math.max(0, restarts - before.restarts));
      const exits = [...before.exits, ...Array<number>(grown).fill(at)].slice(-EXITS_KEPT);
      const isCalledLoop = before.isCalledLoop || (grown > 0 && before.reason === 'crash_loop');
      next.set(uid, { restarts, exits, reason, isCalledLoop });
    }
    this.#known = next;
  }

  /** The window that an instance must hold, if it exited; null if its service's plain window counts. */
  windowMs(uid: string, stabilityMs: number): number | null {
    const { exits = [], isCalledLoop } = this.#known.get(uid) ?? {};
    return exits.length === 0 ? null : stabilityWindow(exits, stabilityMs, isCalledLoop);
  }
}

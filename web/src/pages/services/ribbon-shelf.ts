import type { RibbonView } from '../../../../src/contract/answers/views.ts';

/** The server takes two hundred names at once. */
const MOST_AT_ONCE = 100;
/** Minutes are too narrow to be seen in a day. */
const OLD_AFTER_MS = 5 * 60_000;
const AGAIN_AFTER_MS = 10_000;

interface KeptRibbon {
  readonly ribbon: RibbonView | undefined;
  readonly mark: string;
  readonly readAt: number;
}

/**
 * The ribbons of the rows on the screen: all that are missing are read in one call, a moment after the first of them is
 * shown. A ribbon is read again after a transition of its service, and once in a while.
 */
export class RibbonShelf {
  readonly #read: (refs: readonly string[]) => Promise<readonly RibbonView[]>;
  readonly #now: () => number;
  readonly #later: (run: () => void) => void;
  readonly #kept = new Map<string, KeptRibbon>();
  /** Rows on the screen, with the mark of what they show. */
  readonly #shown = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  #isDue = false;

  constructor(
    read: (refs: readonly string[]) => Promise<readonly RibbonView[]>,
    now: () => number,
    later: (run: () => void) => void,
  ) {
    this.#read = read;
    this.#now = now;
    this.#later = later;
  }

  /** Keeps the ribbon of this service current until the returned function is called. */
  show(ref: string, mark: string): () => void {
    this.#shown.set(ref, mark);
    this.#plan();
    return () => {
      if (this.#shown.get(ref) === mark) this.#shown.delete(ref);
    };
  }

  ribbonOf(ref: string): RibbonView | undefined {
    return this.#kept.get(ref)?.ribbon;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Reads what is old; to be called once in a while. */
  refresh(): void {
    this.#plan();
  }

  #plan(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#later(() => {
      this.#isDue = false;
      void this.#readMissing();
    });
  }

  async #readMissing(): Promise<void> {
    const wanted = [...this.#shown].filter(([ref, mark]) => this.#isWanted(ref, mark)).slice(0, MOST_AT_ONCE);
    if (wanted.length === 0) return;
    const readAt = this.#now();
    // Kept before the answer: nobody asks twice for what is on its way.
    for (const [ref, mark] of wanted) this.#kept.set(ref, { ribbon: this.ribbonOf(ref), mark, readAt });
    const found = await this.#read(wanted.map(([ref]) => ref)).catch(() => null);
    if (found === null) {
      // The ribbons that were drawn stay; they are asked for again after a while.
      for (const [ref] of wanted)
        this.#kept.set(ref, {
          ribbon: this.ribbonOf(ref),
          mark: '',
          readAt: readAt - OLD_AFTER_MS + AGAIN_AFTER_MS,
        });
      return;
    }
    for (const ribbon of found) {
      const kept = this.#kept.get(ribbon.ref);
      if (kept !== undefined) this.#kept.set(ribbon.ref, { ...kept, ribbon });
    }
    for (const listener of this.#listeners) listener();
    if ([...this.#shown].some(([ref, mark]) => this.#isWanted(ref, mark))) this.#plan();
  }

  #isWanted(ref: string, mark: string): boolean {
    const kept = this.#kept.get(ref);
    if (kept === undefined) return true;
    const isOld = this.#now() - kept.readAt > OLD_AFTER_MS;
    return isOld || (kept.mark !== mark && kept.mark !== '');
  }
}

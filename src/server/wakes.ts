/**
 * Hints that something in an org may have happened. Only ever a reason to look sooner: whoever listens also looks
 * once a second, and a hint that gets lost costs no more than that (F51).
 */
export class Wakes {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #everywhere = new Set<(org: string, from: 'here' | 'elsewhere') => void>();

  /** Something may have happened here, or another server said that it did there. */
  poke(org: string, from: 'here' | 'elsewhere' = 'here'): void {
    for (const wake of [...(this.#listeners.get(org) ?? [])]) wake();
    for (const wake of this.#everywhere) wake(org, from);
  }

  on(org: string, wake: () => void): () => void {
    const set = this.#listeners.get(org) ?? new Set();
    this.#listeners.set(org, set.add(wake));
    return () => {
      set.delete(wake);
      if (set.size === 0 && this.#listeners.get(org) === set) this.#listeners.delete(org);
    };
  }

  onAny(wake: (org: string, from: 'here' | 'elsewhere') => void): () => void {
    this.#everywhere.add(wake);
    return () => this.#everywhere.delete(wake);
  }

  /** Resolves with the next hint, after so long without one, or when nobody waits any more. */
  wait(org: string, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        off();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const off = this.on(org, done);
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
    });
  }
}

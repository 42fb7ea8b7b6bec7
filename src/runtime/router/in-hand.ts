/** An exchange that can be cut: a response, or the socket of an upgraded connection. */
interface Cuttable {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** The requests that each instance has in hand, so that none of them is lost when it is replaced. */
export class InHand {
  readonly #of = new Map<string, Set<Cuttable>>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Counts the exchange until it has ended, in whatever way, or is forwarded to another instance. */
  take(uid: string, exchange: Cuttable): () => void {
    const set = this.#of.get(uid) ?? new Set();
    this.#of.set(uid, set);
    set.add(exchange);
    const release = () => {
      if (!set.delete(exchange) || set.size > 0) return;
      if (this.#of.get(uid) === set) this.#of.delete(uid);
      for (const done of this.#waiting.get(uid) ?? []) done();
      this.#waiting.delete(uid);
    };
    if (exchange.destroyed) release();
    else exchange.once('close', release);
    return release;
  }

  count(uid: string): number {
    return this.#of.get(uid)?.size ?? 0;
  }

  /** Resolves when nothing is in hand; cuts exchanges that take longer. */
  async drained(uid: string, withinMs: number): Promise<void> {
    if (this.count(uid) === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const empty = new Promise<void>((done) => {
      this.#waiting.set(uid, [...(this.#waiting.get(uid) ?? []), done]);
    });
    const late = new Promise<void>((done) => {
      timer = setTimeout(done, withinMs);
    });
    await Promise.race([empty, late]);
    clearTimeout(timer);
    for (const exchange of [...(this.#of.get(uid) ?? [])]) exchange.destroy();
    await empty;
  }
}

import { randomUUID } from 'node:crypto';
import type { ItemResult } from '../contract/evidence.ts';
import type { Kind } from '../contract/vocabulary.ts';
import type { Client } from './client.ts';
import type { AcquiredLease } from './lease.ts';
import { type OutageLog, persist } from './persist.ts';

interface EvidenceItem {
  readonly id: string;
  readonly kind: Kind;
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  readonly command: string;
  readonly fence: string;
  readonly observedAt: string;
  readonly body: object;
}

/** Evidence under a lease. Its id stays the same however often it is sent. */
export function evidence(lease: AcquiredLease, kind: Kind, body: object): EvidenceItem {
  const { service, revision, attempt, command, fence } = lease;
  const observedAt = new Date().toISOString();
  return { id: randomUUID(), kind, service, revision, attempt, command, fence, observedAt, body };
}

const MAX_ITEMS = 200;

interface QueuedItem {
  readonly item: EvidenceItem;
  readonly done: (result: ItemResult) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Submits evidence in order, waiting items together in one call, and repeats a call under the same ids until
 * it is answered (F11, F18). `signal` ends it: under a lease, the signal that aborts when evidence can no
 * longer count.
 */
export class Outbox {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #outages: OutageLog | undefined;
  readonly #waiting: QueuedItem[] = [];
  #sending = false;

  constructor(client: Client, signal: AbortSignal, outages?: OutageLog) {
    this.#client = client;
    this.#signal = signal;
    this.#outages = outages;
  }

  /**
   * Resolves with the verdict. Throws the signal's reason if that aborts first, or the refusal of the call.
   */
  send(item: EvidenceItem): Promise<ItemResult> {
    const verdict = new Promise<ItemResult>((done, fail) => this.#waiting.push({ item, done, fail }));
    if (!this.#sending) void this.#drain();
    return verdict;
  }

  async #drain(): Promise<void> {
    this.#sending = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_ITEMS);
      try {
        const results = await this.#post(batch.map(({ item }) => item));
        batch.forEach(({ done, fail, item }, at) => {
          const result = results[at];
          if (result?.id === item.id) done(result);
          else fail(new Error(`no verdict on ${item.kind}`));
        });
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    this.#sending = false;
  }

  async #post(items: readonly EvidenceItem[]): Promise<readonly ItemResult[]> {
    const { results } = await persist(
      (signal) =>
        this.#client.call<{ results: ItemResult[] }>(
          'POST',
          '/v1/evidence',
          { items },
          { signal, timeoutMs: 10_000 },
        ),
      this.#signal,
      this.#outages,
    );
    return results;
  }
}

import { Refused } from '../http/problems.ts';
import { TokenBucket } from './token-bucket.ts';

/**
 * Limits the requests of each org per second. Vital requests of its components, which keep leases and claims alive, have
 * a limit of their own of the same size: a flood of anything else makes no lease lapse and no claim `unknown` (F49).
 */
export class RequestLimit {
  readonly #perSecond: number;
  readonly #vital: TokenBucket;
  readonly #others: TokenBucket;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#vital = new TokenBucket(perSecond, perSecond);
    this.#others = new TokenBucket(perSecond, perSecond);
  }

  take(org: string, isVital: boolean): void {
    const wait = (isVital ? this.#vital : this.#others).take(org);
    if (wait === 0) return;
    const limit = this.#perSecond;
    const who = isVital ? 'The components of this org ask' : 'This org asks';
    throw new Refused('too_many', `${who} more often than ${limit} times a second.`, { limit }, wait);
  }
}

import { Refused } from '../http/problems.ts';
import { TokenBucket } from './token-bucket.ts';

/**
 * How often an org may ask. What its components send to keep leases and claims alive is counted by itself, with the
 * same limit: whoever floods the server with anything else makes no lease lapse and no claim `unknown` (F49).
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

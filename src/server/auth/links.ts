import { randomBytes } from 'node:crypto';
import { hashOf } from './tokens.ts';

const LINK_MS = 15 * 60_000;

/** One-time links that sign a browser in: each is good once, for a quarter of an hour, at the server that made it. */
export class SignInLinks {
  readonly #links = new Map<string, { readonly token: string; readonly until: number }>();

  make(token: string): string {
    const link = randomBytes(24).toString('base64url');
    this.#links.set(hashOf(link), { token, until: performance.now() + LINK_MS });
    return link;
  }

  /** The token it stands for; null if it was used, is too old or never was. */
  redeem(link: string): string | null {
    const hash = hashOf(link);
    const found = this.#links.get(hash);
    this.#links.delete(hash);
    return found !== undefined && performance.now() < found.until ? found.token : null;
  }
}

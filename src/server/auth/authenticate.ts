import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import { ENDED } from '../../evidence/door/bearer.ts';
import type { TokenRow } from '../../store/schema.ts';
import { Refused } from '../http/problems.ts';
import { TokenBucket } from './token-bucket.ts';
import type { TokenBook } from './tokens.ts';

export const SESSION_COOKIE = 'evident_session';
/** Failed sign-ins of one address: ten at once, then one every six seconds. A valid token is never throttled. */
const FAILURES = { burst: 10, perSecond: 1 / 6 };

/** The ways to look a token up: from a second ago, from the store now, or from memory while the store is down. */
export type Look = 'find' | 'findNow' | 'findEvenIfDown';

/** A caller with its token, which a stream checks repeatedly while it is open. */
export interface SignedIn {
  readonly caller: Caller;
  readonly token: TokenRow;
  readonly secret: string;
}

/**
 * The refusal of a sign-in with an unknown token. It is logged as a warning; the limit of attempts per
 * address bounds the log.
 */
export class SignInFailed extends Refused {}

/** Identifies callers by bearer token or, for a browser, by cookie. */
export class Authenticator {
  readonly #tokens: TokenBook;
  readonly #failures = new TokenBucket(FAILURES.burst, FAILURES.perSecond);

  constructor(tokens: TokenBook) {
    this.#tokens = tokens;
  }

  async identify(request: FastifyRequest, look: Look): Promise<TokenRow> {
    const token = presentedToken(request);
    if (token === null) throw new Refused('unauthenticated', 'Send a token: Authorization: Bearer <token>.');
    return this.signIn(token, request.ip, look);
  }

  async signIn(token: string, address: string, look: Look): Promise<TokenRow> {
    const row = await this.#tokens[look](token);
    if (row !== null) return row;
    throw this.failed(address, ENDED);
  }

  /** The refusal of a failed sign-in; after too many from one address it says how long to wait. */
  failed(address: string, why: string): Refused {
    const wait = this.#failures.take(address);
    if (wait > 0)
      return new Refused('too_many', `Too many failed sign-ins from here; wait ${wait} s.`, {}, wait);
    return new SignInFailed('unauthenticated', why);
  }

  /** The token of a stream is still valid, with the same role. */
  async stillGood(row: TokenRow, token: string): Promise<boolean> {
    const now = await this.#tokens.find(token);
    return now !== null && now.role === row.role;
  }
}

export function presentedToken(request: FastifyRequest): string | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^Bearer +([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1] ?? '';
  const cookie = cookies(request.headers.cookie).get(SESSION_COOKIE);
  if (cookie === undefined) return null;
  if (!isSameOrigin(request)) throw new Refused('forbidden', 'A cookie is only taken from our own pages.');
  return cookie;
}

export function cookies(header: string | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=');
    if (at > 0) found.set(part.slice(0, at).trim(), part.slice(at + 1).trim());
  }
  return found;
}

/** A browser sends its cookie with requests of any page; only the server's own pages may act with it. */
function isSameOrigin(request: FastifyRequest): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return true;
  const { origin, host } = request.headers;
  if (origin !== undefined) return URL.canParse(origin) && new URL(origin).host === host;
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

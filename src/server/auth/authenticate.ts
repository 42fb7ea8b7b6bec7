import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import { SECURE_SESSION_COOKIE, SESSION_COOKIE, SESSION_KEY_HEADER } from '../../contract/session-cookie.ts';
import { ENDED } from '../../evidence/door/bearer.ts';
import type { TokenRow } from '../../store/schema.ts';
import { Refused } from '../http/problems.ts';
import { TokenBucket } from './token-bucket.ts';
import { sessionSecret, type TokenBook } from './tokens.ts';

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

  /** At once where the token was found within the last second and that is enough: this is on the way of every request. */
  identify(token: string | null, request: FastifyRequest, look: Look): TokenRow | Promise<TokenRow> {
    if (token === null) throw new Refused('unauthenticated', 'Send a token: Authorization: Bearer <token>.');
    const recent = look === 'findNow' ? undefined : this.#tokens.recent(token);
    return recent ?? this.signIn(token, request.ip, look);
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
  const cookie = sessionOf(request);
  if (cookie === null) return null;
  if (!isSameOrigin(request)) throw new Refused('forbidden', 'Cookies only count from our own pages.');
  return cookie;
}

const keyOf = ({ headers }: FastifyRequest) => {
  const key = headers[SESSION_KEY_HEADER];
  return typeof key === 'string' ? key : undefined;
};

/**
 * The secret of the session that a browser sends: its cookie, with the key of the page that opened it. Behind TLS it has the name that no other origin can set; elsewhere an app on the same
 * host can set a second one beside it (F127), and of two that differ neither is believed.
 */
export function sessionOf(request: FastifyRequest): string | null {
  const sent = cookies(request.headers.cookie);
  const secure = sent.get(SECURE_SESSION_COOKIE);
  const found = secure ?? (isOverTls(request) ? undefined : sent.get(SESSION_COOKIE));
  const [cookie] = found ?? [];
  return found?.size === 1 && cookie !== undefined ? sessionSecret(cookie, keyOf(request)) : null;
}

/**
 * True if the browser reached this server over TLS, as a proxy in front or the page's own origin says. A client that
 * claims it falsely is sent a cookie that it does not keep, and harms nobody else.
 */
export function isOverTls({ protocol, headers }: FastifyRequest): boolean {
  const forwarded = String(headers['x-forwarded-proto'] ?? '')
    .split(',')[0]
    ?.trim()
    .toLowerCase();
  return protocol === 'https' || forwarded === 'https' || /^https:/i.test(headers.origin ?? '');
}

function cookies(header: string | undefined): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=');
    if (at <= 0) continue;
    const name = part.slice(0, at).trim();
    found.set(name, (found.get(name) ?? new Set()).add(part.slice(at + 1).trim()));
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

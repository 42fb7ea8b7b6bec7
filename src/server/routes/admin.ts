import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { authorize, borderRefusal, tokenRefusal } from '../../access/authorize.ts';
import {
  newTokenSchema,
  sessionSchema,
  signInLinkSchema,
  tokenSchema,
} from '../../contract/answers/fleet.ts';
import { pageOf } from '../../contract/answers/history.ts';
import { SECURE_SESSION_COOKIE, SESSION_COOKIE } from '../../contract/session-cookie.ts';
import { TOKEN_ROLES } from '../../contract/vocabulary.ts';
import { ENDED } from '../../evidence/door/bearer.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';
import { intact, isIntact, readable } from '../../store/broken-row.ts';
import type { TokenRow } from '../../store/schema.ts';
import { FIRST_ORG } from '../admin-token.ts';
import { isOverTls, sessionOf } from '../auth/authenticate.ts';
import { type LinkRefusal, makeLink, redeemLink } from '../auth/links.ts';
import {
  derivedSecret,
  insertToken,
  isSession,
  newSecret,
  newTokenId,
  openSession,
  revokeToken,
} from '../auth/tokens.ts';
import type { ServerContext } from '../context.ts';
import { inPages } from '../http/cursor.ts';
import { idempotencyOf, REPLAYED } from '../http/idempotency.ts';
import { createOnce } from '../http/idempotent-create.ts';
import { Refused } from '../http/problems.ts';
import { type Call, type Reply, type Route, route, shortListQuery } from '../http/route.ts';
import { unwrap } from '../http/unwrap.ts';
import { listing } from '../reads/listing.ts';

const pattern = z.string().regex(/^[a-z0-9@*-]{1,81}$/, 'a name, with * for any run of characters');
const LONGEST_MS = 10 * 365 * 24 * 3_600_000;
const newToken = z.object({
  role: z.enum(TOKEN_ROLES),
  // The name appears in histories and lists, also on terminals (F108).
  name: z
    .string()
    .min(1)
    .max(100)
    .regex(/^\P{Cc}*$/u, 'must have no control characters')
    .optional(),
  target: pattern.optional(),
  service: pattern.optional(),
  expiresInMs: z
    .int()
    .min(1)
    .transform((ms) => Math.min(ms, LONGEST_MS))
    .optional(),
  org: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, 'up to 40 of a-z, 0-9 and -')
    .optional(),
});

/** A secret that a page makes up and keeps in its own storage; its session then needs both (F127). */
const sessionKey = z
  .string()
  .regex(/^[\w-]{32,100}$/, '32 to 100 of A-Z, a-z, 0-9, _ and -')
  .optional();

/** Tokens, and the sessions of browsers. */
export function adminRoutes(context: ServerContext): Route[] {
  const { host } = context;
  return [
    route({
      method: 'POST',
      path: '/v1/tokens',
      access: 'administer',
      summary: 'Make a token; it is shown once',
      body: newToken,
      answers: {
        201: 'id, role, token, …',
        403: 'forbidden: another org',
      },
      gives: { 201: newTokenSchema },
      keyed: true,
      handle: (call) => create(context, call),
    }),
    route({
      method: 'GET',
      path: '/v1/tokens',
      access: 'administer',
      summary: 'Tokens, without their secrets',
      query: z.object(shortListQuery(context.config)),
      answers: { 200: 'items, cursor' },
      gives: { 200: pageOf(tokenSchema) },
      handle: async (call) => {
        const rows = await host.store.read((tx) => tx.select('tokens', { org: call.caller.org }));
        const own = rows.filter((row) => !isSession(readable(row)));
        const listed = listing(
          own,
          (row) => readable(row).id,
          (row) => (isIntact(row) ? tokenView(row) : null),
        );
        return inPages('tokens', call, listed, ({ createdAt, id }) => `${createdAt} ${id}`);
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/tokens/:id',
      access: 'administer',
      summary: 'Revoke a token; its streams end within 5 s',
      answers: { 204: 'revoked', 404: 'not_found' },
      gives: {},
      handle: (call) => revoke(context, call),
    }),
    route({
      method: 'POST',
      path: '/v1/sessions',
      access: 'public',
      summary: 'Sign a browser in, by token or by one-time link',
      body: z.union([
        z.strictObject({ token: z.string().min(1).max(200), key: sessionKey }),
        z.strictObject({ link: z.string().min(1).max(200), key: sessionKey }),
      ]),
      answers: { 201: 'role, org, name, session; a cookie', 401: 'unauthenticated', 429: 'too_many' },
      gives: { 201: sessionSchema },
      handle: (call) => signIn(context, call),
    }),
    route({
      method: 'GET',
      path: '/v1/sessions',
      access: 'read',
      summary: 'Who is signed in',
      answers: { 200: 'role, org, name, session' },
      gives: { 200: sessionSchema },
      handle: ({ token }) => {
        const { role, org, name, id } = token;
        return { body: { role, org, name, session: isSession(token) ? id : null } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/sessions',
      access: 'public',
      summary: 'Sign the browser out',
      answers: { 204: 'signed out' },
      gives: {},
      handle: (call) => signOut(context, call),
    }),
    route({
      method: 'POST',
      path: '/v1/sessions/links',
      access: 'browse',
      summary: 'Make a link that signs a browser in once, with the permissions of the caller',
      answers: { 201: 'link, expiresAt' },
      gives: { 201: signInLinkSchema },
      handle: async ({ token }) => {
        const { link, expiresAt } = await makeLink(context.host.store, token);
        return { status: 201, body: { link, expiresAt: rfc3339(expiresAt) } };
      },
    }),
  ];
}

function tokenView(row: TokenRow) {
  const { id, role, name, org, target, service } = row;
  return {
    id,
    role,
    name,
    org,
    target,
    service,
    createdAt: rfc3339(row.createdAt),
    expiresAt: rfc3339OrNull(row.expiresAt),
    revokedAt: rfc3339OrNull(row.revokedAt),
    lastUsedAt: rfc3339OrNull(row.lastUsedAt),
  };
}

async function create(
  { host, openToApps }: ServerContext,
  call: Call<unknown, z.infer<typeof newToken>>,
): Promise<Reply> {
  const { role, name, target, service, expiresInMs, org } = call.body;
  const { caller } = call;
  unwrap(authorize(caller, { operation: 'administer', org: org ?? caller.org }));
  const request = {
    org: org ?? caller.org,
    role,
    name: name ?? '',
    target: target ?? '*',
    service: service ?? '*',
    expiresInMs: expiresInMs ?? null,
  };
  unwrap(tokenRefusal(request) ?? (openToApps ? borderRefusal(request, FIRST_ORG) : null) ?? { ok: true });
  const key = idempotencyOf(call, call.body);
  const fresh = newSecret();
  const secretOf = (salt: string) => (key === null ? fresh : derivedSecret(call.secret, salt));
  const planned = {
    kind: 'token',
    org: request.org,
    id: newTokenId(),
    salt: randomBytes(32).toString('base64url'),
  } as const;
  const { made, replayed } = await createOnce(host.store, caller, key, planned, async (tx, now) => {
    await insertToken(tx, request, planned.id, secretOf(planned.salt), now);
  });
  const row = intact(await host.store.read((tx) => tx.get('tokens', { org: made.org, id: made.id })));
  if (row === undefined) throw new Refused('not_found', 'No such token.');
  return {
    status: 201,
    body: { ...tokenView(row), token: secretOf(made.salt) },
    headers: { location: `/v1/tokens/${row.id}`, ...(replayed ? REPLAYED : {}) },
  };
}

async function revoke(
  { host, tokens }: ServerContext,
  { caller, params }: Call<unknown, unknown>,
): Promise<Reply> {
  const ended = await revokeToken(host.store, caller.org, params.id ?? '');
  if (ended.length === 0) throw new Refused('not_found', 'No such token.');
  for (const row of ended) tokens.forget(row);
  return { status: 204 };
}

const SESSION_SECONDS = 12 * 3600;
const COOKIE = 'Path=/; HttpOnly; SameSite=Strict';

const ANOTHER = 'Get another: evident open.';
const LINK_REFUSED: Readonly<Record<LinkRefusal, string>> = {
  used: `This sign-in link was already used; each works once. ${ANOTHER}`,
  expired: `This sign-in link has expired; each works for 15 minutes. ${ANOTHER}`,
  unknown: `This server does not know this sign-in link. ${ANOTHER}`,
  ended: `The token that this sign-in link was made with has ended. ${ANOTHER}`,
};

async function signIn(
  { auth, host }: ServerContext,
  { body, request }: Call<unknown, ({ token: string } | { link: string }) & { key?: string | undefined }>,
): Promise<Reply> {
  const row =
    'token' in body
      ? await auth.signIn(body.token, request.ip, 'findNow')
      : await redeemLink(host.store, body.link);
  if (typeof row === 'string') throw auth.failed(request.ip, LINK_REFUSED[row]);
  unwrap(authorize(row, { operation: 'browse' }));
  const session = await openSession(host.store, row, SESSION_SECONDS * 1000, body.key);
  if (session === null) throw auth.failed(request.ip, ENDED);
  const seconds = Math.floor(session.forMs / 1000);
  return {
    status: 201,
    body: { role: row.role, org: row.org, name: row.name, session: session.id },
    headers: { 'set-cookie': cookieOf(request, session.token, seconds) },
  };
}

async function signOut({ host, tokens }: ServerContext, { request }: Call<unknown, unknown>): Promise<Reply> {
  const cookie = sessionOf(request);
  const row = cookie === null ? null : await tokens.find(cookie);
  if (row !== null && isSession(row)) {
    await revokeToken(host.store, row.org, row.id);
    tokens.forget(row);
  }
  return { status: 204, headers: { 'set-cookie': cookieOf(request, '', 0) } };
}

/** Behind TLS the name makes browsers refuse the cookie from every other origin and without TLS (F127). */
const cookieOf = (request: FastifyRequest, value: string, seconds: number) =>
  isOverTls(request)
    ? `${SECURE_SESSION_COOKIE}=${value}; ${COOKIE}; Max-Age=${seconds}; Secure`
    : `${SESSION_COOKIE}=${value}; ${COOKIE}; Max-Age=${seconds}`;

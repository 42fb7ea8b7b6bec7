import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import multipart from '@fastify/multipart';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { z } from 'zod';
import { authorize } from '../../access/authorize.ts';
import { isPerson } from '../../access/roles.ts';
import { issues } from '../../contract/report.ts';
import type { TokenRole } from '../../contract/vocabulary.ts';
import type { TokenRow } from '../../store/schema.ts';
import { type Look, presentedToken } from '../auth/authenticate.ts';
import { RequestLimit } from '../auth/request-limit.ts';
import { callerOf } from '../auth/tokens.ts';
import type { ServerContext } from '../context.ts';
import { sendFile } from '../pages/web.ts';
import { asRefused } from './as-refused.ts';
import { etagOf, matchesEtag } from './etag.ts';
import { isLarge, notUtf8, parseJson, parseLargeJson } from './json.ts';
import { levelOf } from './log-level.ts';
import { answerMalformed } from './malformed-http.ts';
import { PendingResponses } from './pending-responses.ts';
import { problemDocument, Refused } from './problems.ts';
import { type Call, isTagged, nothing, type Reply, type Route } from './route.ts';
import { unwrap } from './unwrap.ts';

/** A refused body up to this size is read and discarded, rather than cut off. */
const DISCARDED_BYTES = 256 * 1024 ** 2;
/**
 * Bounds how long a stopping server waits for pending responses; a longer upload is sent again to another
 * server.
 */
const DRAIN_MS = 10_000;
/** The time in which a request must have sent its headers (F122). */
const HEADERS_MS = 30_000;
const CORRELATION = /^[\w.:-]{1,100}$/;
/** The caller of public routes: no token, no org, no limit of requests. */
const ANONYMOUS: TokenRow & { readonly secret: string } = {
  ...{ org: '', id: '', hash: '', name: '', role: 'viewer', target: '', service: '', secret: '' },
  ...{ createdAt: 0, expiresAt: null, revokedAt: null, lastUsedAt: null },
};

/** Builds the Fastify application from the routes. */
export async function createApp(routes: readonly Route[], context: ServerContext): Promise<FastifyInstance> {
  const { config } = context;
  const app = Fastify({
    logger: false,
    bodyLimit: config.maxJsonBytes,
    routerOptions: { maxParamLength: 500 },
    // Applies once no response is pending; until then new requests are refused with a problem.
    forceCloseConnections: true,
    return503OnClosing: false,
    clientErrorHandler: answerMalformed(context.log),
    // Node would answer with a bare status; the hook below refuses with a problem.
    http: { requireHostHeader: false, headersTimeout: HEADERS_MS },
    frameworkErrors: (error, request, reply) => void answerProblem(context, error, request, reply as never),
    genReqId: (request) => {
      const value = request.headers['x-correlation-id'];
      return typeof value === 'string' && CORRELATION.test(value) ? value : randomUUID();
    },
  });
  // An unknown expectation may be ignored; Node would answer with a bare status.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, bytes: Buffer, done) => {
      const isPersons = request.admitted !== undefined && isPerson(request.admitted.role);
      const encoding = request.headers['content-encoding'] ?? 'identity';
      if (encoding.toLowerCase() !== 'identity')
        throw new Refused('unsupported_media_type', `Send JSON as it is, not as ${encoding.slice(0, 50)}.`);
      const charset = charsetOf(request.headers['content-type'] ?? '');
      if (charset !== 'utf-8')
        throw new Refused('unsupported_media_type', `Send JSON in UTF-8, not in ${charset.slice(0, 50)}.`);
      if (bytes.length === 0) return done(null, undefined);
      // Broken text in one item of a component is replaced, so that its other items are judged (F28).
      if (isPersons && !isUtf8(bytes)) throw notUtf8();
      const [text, nul] = [bytes.toString(), isPersons ? 'refused' : 'replaced'] as const;
      if (!isLarge(text)) return done(null, parseJson(text, nul));
      parseLargeJson(text, nul).then((body) => done(null, body), done);
    },
  );
  await app.register(multipart, { limits: { files: 4, fields: 5, fileSize: config.maxSourceBytes + 1 } });
  // Every other type is a stream that only a route for bytes reads.
  app.addContentTypeParser('*', async (_request: FastifyRequest, payload: unknown) => payload);

  // Hooks that wait for nothing call back: a promise for each is a fifth of what an empty request costs.
  const pending = new PendingResponses();
  app.addHook('onRequest', (request, reply, done) => {
    if (!context.stopping.aborted) pending.add(reply.raw);
    reply.header('x-correlation-id', request.id).header('x-content-type-options', 'nosniff');
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new Refused('invalid_request', 'A request of HTTP/1.1 names its host.', {
        errors: ['Host: missing'],
      });
    done();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (context.stopping.aborted) reply.header('connection', 'close');
    done();
  });
  app.addHook('preClose', async () => {
    const left = await pending.drained(DRAIN_MS);
    if (left > 0) context.log.warn({ left }, 'stopped before everybody was answered');
  });
  const logs = context.log as FastifyBaseLogger & { isLevelEnabled?(level: string): boolean };
  app.addHook('onResponse', (request, reply, done) => {
    const took = reply.elapsedTime;
    const { refused, path = 'none' } = request;
    const { statusCode: status } = reply;
    context.metrics.answered(request.method, path, status, took);
    const level = refused === undefined ? 'debug' : levelOf(refused, status);
    if (logs.isLevelEnabled?.(level) ?? true) {
      const [url] = request.url.split('?');
      const line = { correlation: request.id, method: request.method, url, status, ms: Math.round(took) };
      if (refused === undefined) logs.debug(line, 'answered');
      else logs[level]({ ...line, code: refused.code }, 'refused');
    }
    done();
  });
  app.setErrorHandler((error, request, reply) => answerProblem(context, error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const file = context.web?.of(request) ?? null;
    if (file !== null) return sendFile(request, reply, file, context.localhost);
    const refused = new Refused(
      'not_found',
      `There is nothing at ${request.method} ${request.url.split('?')[0]}.`,
    );
    return answerProblem(context, refused, request, reply);
  });

  const limit = new RequestLimit(config.maxRequestsPerSecond);
  // A route for bytes takes any content type.
  await app.register(async (bytes) => {
    bytes.removeAllContentTypeParsers();
    bytes.addContentTypeParser('*', async (_request: FastifyRequest, payload: unknown) => payload);
    for (const route of routes) if (route.takes === 'bytes') mount(bytes, route, context, limit);
  });
  for (const route of routes) if (route.takes !== 'bytes') mount(app, route, context, limit);
  return app;
}

/** Reads the charset without quotes and in lower case. JSON without one is UTF-8. */
function charsetOf(type: string): string {
  const named = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1]?.toLowerCase() ?? 'utf-8';
  return named === 'utf8' ? 'utf-8' : named;
}

function mount(app: FastifyInstance, route: Route, context: ServerContext, limit: RequestLimit): void {
  const { config } = context;
  const { takes = 'json' } = route;
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: takes === 'report' ? config.maxReportBytes : config.maxJsonBytes,
    exposeHeadRoute: route.method === 'GET' && !route.streams,
    // A caller without permission is refused before its body is read.
    onRequest: (request, _reply, done) => {
      request.path = route.path;
      const isWaiting = letIn(route, request, context, limit);
      if (isWaiting === undefined) done();
      else isWaiting.then(() => done(), done);
    },
    handler: async (request, reply) => {
      const admitted = request.admitted ?? ANONYMOUS;
      const call: Call<unknown, unknown> = {
        caller: { ...callerOf(admitted), correlation: request.id },
        token: admitted,
        secret: admitted.secret,
        correlation: request.id,
        params: request.params as Record<string, string>,
        query: read(route.query ?? nothing, request.query, 'query', isStrict(route, admitted.role)),
        body: bodyOf(route, request, isStrict(route, admitted.role)),
        request,
        reply,
      };
      const answer = await route.handle(call as Call<never, never>);
      return answer === 'sent' ? reply : send(route, request, reply, answer);
    },
  });
}

/** Unknown fields are refused from people, who mistype, and ignored from components, which may be newer. */
const isStrict = (route: Route, role: TokenRole) => route.access !== 'public' && isPerson(role);

declare module 'fastify' {
  interface FastifyRequest {
    refused?: Refused;
    /** The path of its route; absent where there is none. */
    path?: string;
    admitted?: TokenRow & { readonly secret: string };
  }
}

/** Throws for a caller who is not let in; a promise only where the token has to be looked up. */
function letIn(
  route: Route,
  request: FastifyRequest,
  { auth, stopping }: ServerContext,
  limit: RequestLimit,
): Promise<void> | undefined {
  if (/%00/.test(request.url)) throw new Refused('invalid_request', 'The address has a NUL in it.');
  if (route.access === 'public') return undefined;
  if (stopping.aborted)
    throw new Refused(
      'unavailable',
      'This server is stopping; nothing was done, and trying again is safe.',
      {},
      1,
    );
  const secret = presentedToken(request);
  const { access, vital } = route;
  const admit = (row: TokenRow) => {
    request.admitted = { ...row, secret: secret ?? '' };
    unwrap(authorize(row, { operation: access }));
    limit.take(row.org, vital === true && !isPerson(row.role));
  };
  const found = auth.identify(secret, request, lookOf(route));
  if (found instanceof Promise) return found.then(admit);
  admit(found);
  return undefined;
}

/**
 * Chooses how the token is looked up: a call that only reads, or whose verb checks the token again, may use a
 * look from a second ago.
 */
function lookOf({ worksWithoutStore: evenIfDown, verbChecksToken: looksInside, method }: Route): Look {
  if (evenIfDown) return 'findEvenIfDown';
  return method === 'GET' || looksInside ? 'find' : 'findNow';
}

function bodyOf(route: Route, request: FastifyRequest, person: boolean): unknown {
  const { takes = 'json', body = nothing, method } = route;
  if (takes === 'bytes') return request.body;
  if (takes === 'form_or_json' && request.isMultipart()) return undefined;
  if (method === 'GET' || (request.body === undefined && method === 'DELETE'))
    return read(body, {}, 'body', person);
  const type = request.headers['content-type'] ?? 'a body of no kind';
  const wanted = takes === 'form_or_json' ? 'application/json or multipart/form-data' : 'application/json';
  if (request.body !== undefined && !/^application\/json\b/i.test(type))
    throw new Refused('unsupported_media_type', `Send ${wanted}, not ${type.slice(0, 100)}.`);
  return read(body, request.body ?? {}, 'body', person);
}

/** Caches strict schemas: compiling one costs as much as the rest of a request. */
const strictSchemas = new WeakMap<z.ZodType, z.ZodType>();

function strictly(schema: z.ZodType): z.ZodType {
  const cached = strictSchemas.get(schema);
  if (cached !== undefined) return cached;
  const strict = schema instanceof z.ZodObject ? schema.strict() : schema;
  strictSchemas.set(schema, strict);
  return strict;
}

/** As the schemas' own `safeParse`, but that its error collects no stack: a body that is not valid is expected. */
const checked = z.core._safeParse(z.core.$ZodError);

function read(schema: z.ZodType, value: unknown, where: string, strict: boolean): unknown {
  const parsed = checked(strict ? strictly(schema) : schema, value);
  if (parsed.success) return parsed.data;
  const errors = issues(parsed.error);
  throw new Refused('invalid_request', `The ${where} is not valid: ${errors.join('; ').slice(0, 1000)}`, {
    errors,
  });
}

function send(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Exclude<Reply, 'sent'>,
): FastifyReply {
  const { status = 200, body, headers = {} } = answer;
  reply.code(status).headers(headers);
  if (!isTagged(route)) return reply.send(body);
  // The text that the tag is made from is the one that is sent.
  const isJson =
    answer.etag === undefined && typeof body === 'object' && headers['content-type'] === undefined;
  const text = isJson ? JSON.stringify(body) : null;
  const etag = answer.etag ?? etagOf(body as object, text ?? undefined);
  reply.headers({ etag, 'cache-control': headers['cache-control'] ?? 'no-cache' });
  if (matchesEtag(etag, request.headers['if-none-match'])) return reply.code(304).send();
  return text === null ? reply.send(body) : reply.type('application/json; charset=utf-8').send(text);
}

function answerProblem(
  context: ServerContext,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refused =
    error instanceof Refused
      ? error
      : asRefused(error, request.routeOptions?.bodyLimit ?? context.config.maxJsonBytes);
  request.refused = refused;
  if (refused.code === 'internal')
    context.log.error({ correlation: request.id, err: error }, 'a defect of ours');
  if (refused.retryAfterSeconds !== undefined) reply.header('retry-after', String(refused.retryAfterSeconds));
  if (refused.code === 'unauthenticated') {
    reply.header('www-authenticate', 'Bearer');
    if (request.admitted !== undefined) context.tokens.forget(request.admitted);
  }
  // A client that still sends does not read the answer: the rest of a body of bounded length is discarded
  // first.
  if (Number(request.headers['content-length']) <= DISCARDED_BYTES) reply.removeHeader('connection');
  const errors = refused.code === 'invalid_request' ? { errors: [refused.message] } : {};
  const document = problemDocument(refused.code, refused.message, request.id, {
    ...errors,
    ...refused.extra,
  });
  return reply.code(document.status).type('application/problem+json').send(document);
}

import { Readable } from 'node:stream';
import { z } from 'zod';
import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import { TooLarge } from '../../artifact/storage-errors.ts';
import { acceptedSchema, artifactSchema, verdictsSchema } from '../../contract/answers/fleet.ts';
import { evidenceItemSchema } from '../../contract/evidence.ts';
import { DIGEST, serviceRef } from '../../contract/names.ts';
import type { Host } from '../../evidence/door/host.ts';
import { maySubmit, submit } from '../../evidence/submit/submit.ts';
import { logItemSchema } from '../../logs/log-item.ts';
import type { LeaseRequest } from '../../ownership/offer.ts';
import { redactItem } from '../../redact/redact-body.ts';
import type { Config } from '../config.ts';
import type { ServerContext } from '../context.ts';
import { asRefused } from '../http/as-refused.ts';
import { matchesEtag } from '../http/etag.ts';
import { Refused } from '../http/problems.ts';
import { type Call, type Reply, type Route, route } from '../http/route.ts';
import { unwrap } from '../http/unwrap.ts';
import { mayRead } from '../reads/may-read.ts';
import { ownLines } from '../reads/own-lines.ts';
import { leaseRequest, offersTo, workRequest } from './work-request.ts';

/** Evidence of workers and agents, and the bytes and lines beside it. */
export function evidenceRoutes(context: ServerContext): Route[] {
  const { config, host, metrics, secrets } = context;
  return [
    route({
      method: 'POST',
      path: '/v1/evidence',
      vital: true,
      verbChecksToken: true,
      // Evidence of a caller that is not its owner is rejected, and its first one kept (S8, F125).
      access: 'submit',
      summary: 'Evidence in a batch; one verdict per item, in order',
      body: z.object({ items: z.array(z.unknown()), next: workRequest.optional() }),
      answers: { 200: 'results; with `next` leases: what it asks for, at once' },
      gives: { 200: verdictsSchema },
      describes: z.object({ items: z.array(evidenceItemSchema), next: workRequest.optional() }),
      handle: async ({ caller, body }) => {
        notTooMany(body.items, config);
        const next = body.next === undefined ? null : nextRequest(caller, body.next);
        // Nothing of what a person submits is kept but its form, so there is nothing to redact.
        const items = maySubmit(caller)
          ? await Promise.all(
              body.items.map((item) => redactItem(item, (service) => secrets.of(caller.org, service))),
            )
          : body.items;
        const results = await submit(host, caller, items);
        for (const result of results) metrics.judged(result.verdict, result.reason ?? '');
        return { body: next === null ? { results } : { results, leases: await offersBehind(host, next) } };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/artifacts/:digest',
      access: 'transfer',
      summary: 'Bytes, named by their digest',
      takes: 'bytes',
      answers: { 200: 'it was there', 201: 'digest, size', 413: 'too_large', 422: 'digest_mismatch' },
      gives: { 200: artifactSchema, 201: artifactSchema },
      handle: (call) => putArtifact(context, call),
    }),
    route({
      method: 'GET',
      path: '/v1/artifacts/:digest',
      access: 'transfer',
      summary: 'The bytes of an artifact, or of a build’s source',
      answers: { 200: 'raw bytes', 404: 'not_found' },
      gives: { 200: { 'application/octet-stream': null } },
      handle: (call) => getArtifact(context, call),
    }),
    route({
      method: 'POST',
      path: '/v1/logs',
      access: 'transfer',
      summary: 'Lines of builds and instances',
      body: z.object({ items: z.array(z.unknown()) }),
      answers: { 200: 'accepted: how many' },
      gives: { 200: acceptedSchema },
      describes: z.object({ items: z.array(logItemSchema) }),
      handle: (call) => appendLogs(context, call),
    }),
  ];
}

interface NextRequest {
  readonly caller: Caller;
  readonly request: LeaseRequest;
}

/** Refused before anything is submitted: a caller that may not work gets no verdicts with half of an answer. */
function nextRequest(caller: Caller, asked: z.infer<typeof workRequest>): NextRequest {
  const { kinds, target, instance } = asked;
  unwrap(authorize(caller, { operation: 'work', kinds, ...(target === undefined ? {} : { target }) }));
  return { caller: { ...caller, instance }, request: leaseRequest(caller, asked) };
}

/**
 * The work that is offered behind evidence. Whatever refuses it, the verdicts are recorded and must be answered: the
 * caller asks again, and then learns the reason.
 */
async function offersBehind(host: Host, { caller, request }: NextRequest) {
  try {
    return await offersTo(host, caller, request);
  } catch (error) {
    if (asRefused(error, 0).code === 'internal') throw error;
    return [];
  }
}

function notTooMany(items: readonly unknown[], { maxItems: limit }: Config): void {
  if (items.length <= limit) return;
  const detail = `At most ${limit} items are taken at once; send the rest in another request.`;
  throw new Refused('too_large', detail, { limit });
}

function digestOf(call: Call<unknown, unknown>): string {
  const digest = call.params.digest ?? '';
  if (!DIGEST.test(digest))
    throw new Refused('invalid_request', 'A digest is sha256: and 64 hexadecimal digits.', {
      errors: ['digest: malformed'],
    });
  return digest;
}

async function putArtifact(context: ServerContext, call: Call<unknown, unknown>): Promise<Reply> {
  const { uploads, host } = context;
  const digest = digestOf(call);
  const { org } = call.caller;
  const row = await host.store.read((tx) => tx.get('artifacts', { org, digest }));
  const { size } = await takenIn(context, call, digest);
  uploads.add(call.token, digest);
  if (row !== undefined) return { status: 200, body: { digest, size } };
  await host.store.transact((tx) => tx.insert('artifacts', { org, digest, size }));
  return { status: 201, body: { digest, size } };
}

/** Refuses bytes that announce that they are too large, without reading them up to the limit. */
async function takenIn(
  { artifacts, config }: ServerContext,
  { body, request }: Call<unknown, unknown>,
  digest: string,
) {
  if (Number(request.headers['content-length']) > config.maxArtifactBytes)
    throw new TooLarge(config.maxArtifactBytes);
  if (!(body instanceof Readable)) return artifacts.put(Readable.from([]), digest);
  try {
    return await artifacts.put(body.iterator({ destroyOnReturn: false }), digest);
  } catch (error) {
    // A client that still sends does not read: the rest is discarded.
    body.resume();
    throw error;
  }
}

async function getArtifact(
  { artifacts, uploads, host }: ServerContext,
  call: Call<unknown, unknown>,
): Promise<Reply> {
  const digest = digestOf(call);
  const { org } = call.caller;
  const row = await host.store.read((tx) => tx.get('artifacts', { org, digest }));
  const isSender = uploads.has(call.token, digest);
  if (row === undefined || !(await mayRead(host, call.caller, digest, isSender)))
    throw new Refused('not_found', 'No such artifact.');
  const etag = `"${digest}"`;
  // The digest is the tag: a caller that sends it has the bytes, and they are not read again.
  if (matchesEtag(etag, call.request.headers['if-none-match'])) return { etag };
  const found = await artifacts.get(digest);
  if (found === null)
    throw new Refused(
      'unavailable',
      'These bytes are on record, and are missing in the directory of files; whoever runs this server has to put them back.',
      {},
      5,
    );
  return {
    body: found.bytes,
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(found.size) },
    etag,
  };
}

/** Accepts only lines of work that is the caller's. */
async function appendLogs(
  { config, logs, host }: ServerContext,
  { caller, body }: Call<unknown, { items: unknown[] }>,
): Promise<Reply> {
  notTooMany(body.items, config);
  const lines = body.items.flatMap((item) => {
    const parsed = logItemSchema.safeParse(item);
    const service = parsed.success ? serviceRef(parsed.data.service) : null;
    return parsed.success && service !== null ? [{ ...parsed.data, service }] : [];
  });
  const own = await ownLines(host, caller, lines);
  return { body: { accepted: own.length === 0 ? 0 : await logs.append(caller.org, own) } };
}

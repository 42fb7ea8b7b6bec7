import { Readable } from 'node:stream';
import { z } from 'zod';
import { leaseId } from '../../contract/command-id.ts';
import { DIGEST, serviceRef, targetOf } from '../../contract/intent.ts';
import { type Caller, covers } from '../../evidence/caller.ts';
import type { Host } from '../../evidence/host.ts';
import { submit } from '../../evidence/submit.ts';
import { oneOf } from '../../store/port.ts';
import { components } from '../auth/access.ts';
import { type LogItem, logItemSchema } from '../logs/log-item.ts';
import type { Parts } from '../parts.ts';
import { Refused } from '../problems.ts';
import { redactItem } from '../redact/redact-body.ts';
import { type Call, type Reply, type Route, route } from '../route.ts';

const ITEMS = 1_000;

/** What workers and agents prove, and the bytes and lines beside it. */
export function evidenceRoutes(parts: Parts): Route[] {
  const { host, metrics, secrets } = parts;
  return [
    route({
      method: 'POST',
      path: '/v1/evidence',
      // Whoever else sends evidence is not its owner: that is a verdict, kept beside the others (S8).
      access: 'anyone',
      summary: 'Evidence in a batch; one verdict per item, in order',
      body: z.object({ items: z.array(z.unknown()).min(1).max(ITEMS, `at most ${ITEMS} items`) }),
      answers: { 200: 'results' },
      handle: async ({ caller, body }) => {
        const items = await Promise.all(
          body.items.map((item) => redactItem(item, (service) => secrets.of(caller.org, service))),
        );
        const results = await submit(host, caller, items);
        for (const result of results) metrics.judged(result.verdict, result.reason ?? '');
        return { body: { results } };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/artifacts/:digest',
      access: components,
      summary: 'Bytes, named by their digest',
      takes: 'bytes',
      answers: { 200: 'it was there', 201: 'digest, size', 413: 'too_large', 422: 'digest_mismatch' },
      handle: (call) => putArtifact(parts, call),
    }),
    route({
      method: 'GET',
      path: '/v1/artifacts/:digest',
      access: components,
      summary: 'The bytes of an artifact, or of a build’s source',
      answers: { 200: 'raw bytes', 404: 'not_found' },
      handle: (call) => getArtifact(parts, call),
    }),
    route({
      method: 'POST',
      path: '/v1/logs',
      access: components,
      summary: 'Lines of builds and instances',
      body: z.object({ items: z.array(z.unknown()).max(ITEMS, `at most ${ITEMS} lines`) }),
      answers: { 200: 'accepted: how many' },
      handle: (call) => appendLogs(parts, call),
    }),
  ];
}

function digestOf(call: Call<unknown, unknown>): string {
  const digest = call.params.digest ?? '';
  if (!DIGEST.test(digest))
    throw new Refused('invalid_request', 'A digest is sha256: and 64 hexadecimal digits.', {
      errors: ['digest: malformed'],
    });
  return digest;
}

async function putArtifact({ artifacts, host }: Parts, call: Call<unknown, unknown>): Promise<Reply> {
  const digest = digestOf(call);
  const { org } = call.caller;
  const body = call.body as Readable | undefined;
  const held = await host.store.read((tx) => tx.get('artifacts', { org, digest }));
  const { size } = await artifacts.put(body ?? Readable.from([]), digest);
  if (held !== undefined) return { status: 200, body: { digest, size } };
  await host.store.transact((tx) => tx.insert('artifacts', { org, digest, size }));
  return { status: 201, body: { digest, size } };
}

async function getArtifact({ artifacts, host }: Parts, call: Call<unknown, unknown>): Promise<Reply> {
  const digest = digestOf(call);
  const { org } = call.caller;
  const held = await host.store.read((tx) => tx.get('artifacts', { org, digest }));
  if (held === undefined) throw new Refused('not_found', 'There is no such artifact.');
  const found = await artifacts.get(digest);
  if (found === null)
    throw new Refused(
      'unavailable',
      'This server does not have these bytes; another one took them in.',
      {},
      5,
    );
  return {
    body: found.bytes,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(found.size),
      etag: `"${digest}"`,
    },
  };
}

/** Only lines about what the token is bound to, and about attempts that there are; the others are not accepted. */
async function appendLogs(
  { logs, host }: Parts,
  { caller, body }: Call<unknown, { items: unknown[] }>,
): Promise<Reply> {
  const lines = body.items.flatMap((item) => {
    const parsed = logItemSchema.safeParse(item);
    if (!parsed.success) return [];
    const service = serviceRef(parsed.data.service);
    if (service === null || !covers(caller.service, service) || !covers(caller.target, targetOf(service)))
      return [];
    if (parsed.data.stream === 'build' && caller.role !== 'builder') return [];
    return [{ ...parsed.data, service }];
  });
  const known = new Set<string>();
  for (const service of new Set(lines.map((line) => line.service))) {
    const revisions = [
      ...new Set(lines.filter((line) => line.service === service).map((line) => line.revision)),
    ];
    const rows = await host.store.read((tx) =>
      tx.select('attempts', { org: caller.org, service, revision: oneOf(...revisions) }),
    );
    for (const { revision, attempt } of rows) known.add(`${service} ${revision} ${attempt}`);
  }
  const foreign = await foreignLeases(host, caller, lines);
  const ours = lines.filter(
    (line) =>
      known.has(`${line.service} ${line.revision} ${line.attempt}`) && !foreign.has(leaseOf(line) ?? ''),
  );
  return { body: { accepted: ours.length === 0 ? 0 : await logs.append(caller.org, ours) } };
}

const leaseOf = ({ command, fence }: LogItem) => (command && fence ? leaseId(command, fence) : null);

/** Leases that lines name and that this caller never held: what is said under them is not its to say (F111). */
async function foreignLeases(
  host: Host,
  { org, name }: Caller,
  lines: readonly LogItem[],
): Promise<ReadonlySet<string>> {
  const named = new Set(lines.flatMap((line) => leaseOf(line) ?? []));
  const foreign = new Set<string>();
  for (const id of named) {
    const lease = await host.store.read((tx) => tx.get('leases', { org, id }));
    if (lease?.caller !== name) foreign.add(id);
  }
  return foreign;
}

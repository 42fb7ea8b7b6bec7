import { z } from 'zod';
import { audienceOf, seesDetail } from '../../access/roles.ts';
import type { VisibleService } from '../../access/visible-service.ts';
import { claimSchema } from '../../contract/answers/claim.ts';
import {
  attemptSchema,
  evidencePageSchema,
  instancesSchema,
  leasesSchema,
  pageOf,
  revisionSchema,
  serviceSchema,
  transitionsSchema,
  wholeRevisionSchema,
} from '../../contract/answers/history.ts';
import { NO_SERVICE, noService } from '../../contract/problem.ts';
import { claimAt, claimNow } from '../../evidence/read.ts';
import { NO_VALUES } from '../../redact/secret-values.ts';
import { isIntact, readable, type Stored } from '../../store/broken-row.ts';
import type { ServerContext } from '../context.ts';
import { page, readCursor } from '../http/cursor.ts';
import { Refused } from '../http/problems.ts';
import { type Call, pageQuery, type Reply, type Route, route } from '../http/route.ts';
import { type FindService, serviceRoute } from '../http/service-route.ts';
import { unwrap } from '../http/unwrap.ts';
import { changedIn } from '../reads/changed.ts';
import { FailingLines } from '../reads/failing-lines.ts';
import {
  attemptOf,
  detailedAttempt,
  isIntactEntry,
  numberOf,
  recoveryView,
  revisionOf,
  revisionsPage,
  revisionView,
  wholeRevision,
} from '../reads/history.ts';
import { leaseName, leasesPage, leaseView } from '../reads/leases.ts';
import { instancesOf } from '../reads/observed.ts';
import { evidenceItem, evidencePage, recoveriesIn, rejectedPage, transitionsPage } from '../reads/records.ts';
import { serviceOf, serviceView } from '../reads/services.ts';
import type { SharedReads } from '../reads/shared-reads.ts';
import { transitionItem } from '../streams/watch-event.ts';
import { heldAmong, serviceListRoute } from './service-list.ts';

/** The id of a command, and a fence. */
const LEASE_ID = /^.{1,200}\.\d{1,30}$/;
const FOUND = { 404: 'not_found' } as const;
const instant = z.iso.datetime({ offset: true });

/** Routes by which people read. None of them writes; a claim is computed when it is read (S2). */
export function readRoutes(context: ServerContext, long: SharedReads): Route[] {
  const { host } = context;
  const paged = pageQuery(context.config);
  const failing = new FailingLines(context.logs);
  return [
    serviceListRoute(context, long, failing),
    serviceRoute(context, {
      method: 'GET',
      path: '/v1/services/:ref',
      access: 'read',
      summary: 'A service: its spec with secrets hidden, its addresses, its claim',
      answers: { 200: 'the service', ...FOUND },
      gives: { 200: serviceSchema },
      handle: async (call, find) => {
        const visible = await find();
        const found = await serviceOf(host, visible, audienceOf(call.caller));
        if (found === null) throw new Refused('not_found', noService().detail);
        const lines = await failing.of(host, call.caller.org, [found.claim]);
        const detail = seesDetail(call.caller.role);
        const held = await heldAmong(host, call.caller.org, [found.claim]);
        return {
          body: serviceView(
            found,
            { detail },
            lines.get(found.service) ?? null,
            held.get(found.service) ?? null,
          ),
        };
      },
    }),
    serviceRoute(context, {
      method: 'GET',
      path: '/v1/services/:ref/status',
      access: 'read',
      summary: 'The claim now, or what was known at an instant',
      query: z.object({ at: instant.optional() }),
      answers: {
        200: 'the claim',
        304: 'the same claim, less now and ages',
        410: 'before_retention',
        ...FOUND,
      },
      gives: { 200: claimSchema },
      handle: (call, find) => status(context, call, find),
    }),
    serviceRoute(context, {
      method: 'GET',
      path: '/v1/services/:ref/revisions',
      access: 'read',
      summary: 'Revisions, newest first, with attempts and how long their stages took',
      query: z.object(paged),
      answers: { 200: 'items, cursor', ...FOUND },
      gives: { 200: pageOf(revisionSchema) },
      handle: async (call, find) => {
        const { limit, cursor } = call.query;
        const before = number(readCursor('revisions', cursor));
        const visible = await find();
        const found = await revisionsPage(host, visible, before, limit + 1);
        const changed = await changedIn(host, visible, found);
        return page(
          'revisions',
          call.request.url,
          found,
          limit,
          (entry) => numberOf(entry)?.toString(),
          (entry) =>
            isIntactEntry(entry)
              ? { ...revisionView(entry), changed: changed.get(entry.intent.revision) ?? null }
              : null,
        );
      },
    }),
    serviceRoute(context, {
      method: 'GET',
      path: '/v1/services/:ref/revisions/:revision',
      access: 'read',
      summary: 'One revision whole: its spec with secrets hidden, and what it changes against another',
      query: z.object({
        against: z.coerce
          .number()
          .pipe(z.int().min(1))
          .optional()
          .describe('Left out: the newest before it that was not cancelled.'),
      }),
      answers: { 200: 'the revision', ...FOUND },
      gives: { 200: wholeRevisionSchema },
      handle: async (call, find) => {
        const visible = await find();
        const entry = await oneRevision(context, call, visible);
        const { against } = call.query;
        const other = against === undefined ? null : await intactRevision(context, visible, against);
        return { body: await wholeRevision(host, call.caller, entry, other) };
      },
    }),
    serviceRoute(context, {
      method: 'GET',
      path: '/v1/services/:ref/revisions/:revision/attempts/:attempt',
      access: 'read',
      summary: 'One attempt of a revision, for operators with what its builder did',
      answers: { 200: 'the attempt', ...FOUND },
      gives: { 200: attemptSchema },
      handle: async (call, find) => {
        const found = attemptOf(
          await oneRevision(context, call, await find()),
          number(call.params.attempt ?? ''),
        );
        if (found === undefined) throw new Refused('not_found', 'No such attempt.');
        return { body: await detailedAttempt(host, call.caller, found) };
      },
    }),
    serviceRoute(context, {
      method: 'GET',
      path: '/v1/services/:ref/transitions',
      access: 'read',
      summary: 'Every recorded change of the claim, in ledger order, and where a restore has left a gap',
      query: z.object(paged),
      answers: { 200: 'items, recoveries, cursor', ...FOUND },
      gives: { 200: transitionsSchema },
      handle: async (call, find) => {
        const { limit, cursor } = call.query;
        const after = readCursor('transitions', cursor) ?? '0';
        const visible = await find();
        const { org } = visible;
        const found = await transitionsPage(host, visible, after, limit + 1);
        const next = found.length > limit ? (readable(found[limit - 1]).position ?? null) : null;
        const recoveries = (await recoveriesIn(host, org, after, next)).map(recoveryView);
        const { body, headers } = page(
          'transitions',
          call.request.url,
          found,
          limit,
          (row) => readable(row).position,
          (row) => (isIntact(row) ? transitionItem(row) : null),
        );
        return { body: { ...body, recoveries }, headers };
      },
    }),
    serviceRoute(context, {
      method: 'GET',
      path: '/v1/services/:ref/evidence',
      access: 'inspect',
      summary: 'Evidence about a service, admitted and rejected, in ledger order',
      query: z.object({ ...paged, verdict: z.enum(['admitted', 'rejected']).optional() }),
      answers: { 200: 'items, cursor', ...FOUND },
      gives: { 200: evidencePageSchema },
      handle: async (call, find) => {
        const { limit, cursor, verdict } = call.query;
        const after = readCursor('evidence', cursor) ?? '0';
        const visible = await find();
        const found = await evidencePage(host, visible, after, limit + 1, verdict);
        const secrets = await context.secrets.of(visible.org, visible.service);
        const item = (row: Stored<'ledger'>) => (isIntact(row) ? evidenceItem(row, secrets) : null);
        return page('evidence', call.request.url, found, limit, (row) => readable(row).position, item);
      },
    }),
    route({
      method: 'GET',
      path: '/v1/evidence',
      access: 'inspect',
      summary: 'What was rejected, in ledger order: also about services that there are not',
      query: z.object({ ...paged, verdict: z.literal('rejected').optional() }),
      answers: { 200: 'items, cursor' },
      gives: { 200: evidencePageSchema },
      handle: async (call) => {
        const { limit, cursor } = call.query;
        const found = await rejectedPage(host, call.caller, readCursor('refused', cursor) ?? '0', limit + 1);
        const item = (row: Stored<'ledger'>) => (isIntact(row) ? evidenceItem(row, NO_VALUES) : null);
        return page('refused', call.request.url, found, limit, (row) => readable(row).position, item);
      },
    }),
    serviceRoute(context, {
      method: 'GET',
      path: '/v1/services/:ref/instances',
      access: 'read',
      summary: 'What is observed now, or was at an instant',
      query: z.object({ at: instant.optional() }),
      answers: { 200: 'items', ...FOUND },
      gives: { 200: instancesSchema },
      handle: async (call, find) => {
        const at = await past(context, call.query.at);
        const visible = await find();
        const secrets = await context.secrets.of(visible.org, visible.service);
        const items = await instancesOf(host, call.caller, visible, at, secrets);
        return { body: { items } };
      },
    }),
    serviceRoute(context, {
      method: 'GET',
      path: '/v1/services/:ref/leases',
      access: 'inspect',
      summary: 'Who held what when, the earliest first',
      query: z.object(paged),
      answers: { 200: 'items, cursor', ...FOUND },
      gives: { 200: leasesSchema },
      handle: async (call, find) => {
        const { limit, cursor } = call.query;
        const after = readCursor('leases', cursor, LEASE_ID);
        const found = await leasesPage(host, await find(), after, limit + 1);
        return page('leases', call.request.url, found, limit, leaseName, leaseView);
      },
    }),
  ];
}

/** Reads a number from a cursor or a path; 0, which nothing has, for any other text. */
function number(text: string | null): number {
  return text === null || !/^\d{1,15}$/.test(text) ? 0 : Number(text);
}

async function oneRevision(
  context: ServerContext,
  { params }: Call<unknown, unknown>,
  visible: VisibleService,
) {
  return intactRevision(context, visible, number(params.revision ?? ''));
}

async function intactRevision({ host }: ServerContext, visible: VisibleService, revision: number) {
  const found = await revisionOf(host, visible, revision);
  if (found === undefined) throw new Refused('not_found', 'No such revision.');
  if (!isIntactEntry(found))
    throw new Refused('not_found', 'This revision is on record, and its record cannot be read any more.');
  return found;
}

async function status(
  context: ServerContext,
  call: Call<{ at?: string | undefined }, unknown>,
  find: FindService,
): Promise<Reply> {
  const { host } = context;
  const at = await past(context, call.query.at);
  const { org, service } = await find();
  const answer =
    at === null
      ? await claimNow(host, org, service, audienceOf(call.caller), { readsLastGood: true })
      : await claimAt(host, org, service, at, audienceOf(call.caller));
  // It is there now, or it would not have been found.
  if (at !== null && !answer.ok && answer.detail === NO_SERVICE)
    throw new Refused('not_found', `Nobody had requested it yet at ${new Date(at).toISOString()}.`);
  const { claim } = unwrap(answer);
  return { body: claim };
}

/** Reads a past instant by the store's clock. */
export async function past(
  { host }: Pick<ServerContext, 'host'>,
  at: string | undefined,
): Promise<number | null> {
  if (at === undefined) return null;
  const ms = Date.parse(at);
  if (ms > (await host.store.read((tx) => tx.now()))) throw inTheFuture();
  return ms;
}

const inTheFuture = () =>
  new Refused('invalid_request', '`at` must not be in the future.', {
    errors: ['at: in the future'],
  });

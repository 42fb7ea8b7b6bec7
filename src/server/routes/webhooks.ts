import { z } from 'zod';
import {
  deliveriesSchema,
  deliverySentSchema,
  newWebhookAnswerSchema,
  webhookSchema,
  webhookSecretSchema,
  webhooksSchema,
} from '../../contract/answers/webhooks.ts';
import { newWebhookSchema } from '../../contract/webhook.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { intact } from '../../store/broken-row.ts';
import {
  changeSecret,
  insertWebhook,
  newWebhookId,
  removeWebhook,
  sendAgain,
  sendTest,
} from '../../webhooks/administer.ts';
import { DestinationRefused } from '../../webhooks/destination.ts';
import type { ServerContext } from '../context.ts';
import { inPages, page, readCursor } from '../http/cursor.ts';
import { idempotencyOf, REPLAYED } from '../http/idempotency.ts';
import { createOnce } from '../http/idempotent-create.ts';
import { Refused } from '../http/problems.ts';
import { type Call, pageQuery, type Reply, type Route, route, shortListQuery } from '../http/route.ts';
import { deliveriesPage, deliveryView, webhooksOf, webhookView } from '../reads/webhooks.ts';

const NO_WEBHOOK = 'No such webhook.';
/** Each is served by a run of its own, and looked at with every change of the org. */
const MOST = 50;

/** Webhooks: receivers outside of the platform. Whoever administers the org chooses them. */
export function webhookRoutes(context: ServerContext): Route[] {
  const { host } = context;
  const nudge = () => context.loops.nudge('webhooks');
  return [
    route({
      method: 'POST',
      path: '/v1/webhooks',
      access: 'administer',
      summary: 'Tell a receiver what happens from now on; its secret is shown once',
      body: newWebhookSchema,
      answers: { 201: 'id, secret, …' },
      gives: { 201: newWebhookAnswerSchema },
      keyed: true,
      handle: (call) => create(context, call),
    }),
    route({
      method: 'GET',
      path: '/v1/webhooks',
      access: 'administer',
      summary: 'Webhooks, without their secrets, and how many deliveries of each wait or were given up',
      query: z.object(shortListQuery(context.config)),
      answers: { 200: 'items, cursor' },
      gives: { 200: webhooksSchema },
      handle: async (call) =>
        inPages(
          'webhooks',
          call,
          await webhooksOf(host, call.caller.org),
          ({ createdAt, id }) => `${createdAt} ${id}`,
        ),
    }),
    route({
      method: 'GET',
      path: '/v1/webhooks/:id',
      access: 'administer',
      summary: 'One webhook',
      answers: { 200: 'id, url, events, …', 404: 'not_found' },
      gives: { 200: webhookSchema },
      handle: async ({ caller, params }) => ({ body: await viewOf(context, caller.org, params.id) }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/webhooks/:id',
      access: 'administer',
      summary: 'Send nothing more to a receiver; its address and secret are forgotten',
      answers: { 204: 'removed', 404: 'not_found' },
      gives: {},
      handle: async ({ caller, params }) => {
        found(await removeWebhook(host.store, caller.org, params.id ?? ''));
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhooks/:id/secret',
      access: 'administer',
      summary: 'Change the secret; for a day what is sent is signed with the former one too',
      answers: { 201: 'id, secret, formerUntil', 404: 'not_found' },
      gives: { 201: webhookSecretSchema },
      handle: async ({ caller, params: { id = '' } }) => {
        const { secret, formerUntil } = found(await changeSecret(host.store, caller.org, id));
        return { status: 201, body: { id, secret, formerUntil: rfc3339(formerUntil) } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhooks/:id/test',
      access: 'administer',
      summary: 'Send a message that says it is a test',
      answers: { 202: 'id of the delivery', 404: 'not_found: no such webhook, or it has ended' },
      gives: { 202: deliverySentSchema },
      handle: async ({ caller, params }) => {
        const id = found(await sendTest(host.store, caller.org, params.id ?? '', caller.name));
        nudge();
        return { status: 202, body: { id } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/webhooks/:id/deliveries',
      access: 'administer',
      summary: 'What was sent to a receiver in the last 30 days, and what came of it, newest first',
      query: z.object({
        ...pageQuery(context.config),
        state: z.enum(['waiting', 'delivered', 'dead']).optional(),
      }),
      answers: { 200: 'items, cursor', 404: 'not_found' },
      gives: { 200: deliveriesSchema },
      handle: async ({ caller, params: { id = '' }, query, request }) => {
        const { endedAt } = await viewOf(context, caller.org, id);
        const before = readCursor('deliveries', query.cursor);
        const rows = await deliveriesPage(host, caller.org, id, query.state, before, query.limit + 1);
        return page('deliveries', request.url, rows, query.limit, keyOf, (row) =>
          deliveryView(row, endedAt !== null),
        );
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhooks/:id/deliveries/:delivery/redeliver',
      access: 'administer',
      summary: 'Send a delivery again, under the same id',
      answers: { 202: 'id of the delivery', 404: 'not_found' },
      gives: { 202: deliverySentSchema },
      handle: async ({ caller, params: { id = '', delivery = '' } }) => {
        if (!(await sendAgain(host.store, caller.org, id, delivery)))
          throw new Refused('not_found', 'No such delivery, or its webhook has ended.');
        nudge();
        return { status: 202, body: { id: delivery } };
      },
    }),
  ];
}

const keyOf = (row: Parameters<typeof deliveryView>[0]) => String(row.nth);

function found<T>(answer: T | null): T {
  if (answer === null) throw new Refused('not_found', NO_WEBHOOK);
  return answer;
}

async function viewOf({ host }: ServerContext, org: string, id = '') {
  const { items } = await webhooksOf(host, org);
  return found(items.find((item) => item.id === id) ?? null);
}

async function create(
  { host, destinations }: ServerContext,
  call: Call<unknown, z.infer<typeof newWebhookSchema>>,
): Promise<Reply> {
  const { caller, body } = call;
  const { org, name: createdBy } = caller;
  try {
    destinations.parse(body.url);
  } catch (error) {
    if (!(error instanceof DestinationRefused)) throw error;
    throw new Refused('invalid_request', `This webhook cannot be: ${error.message}`, {
      errors: [`url: ${error.message}`],
    });
  }
  const planned = { kind: 'webhook', id: newWebhookId() } as const;
  const { made, replayed } = await createOnce(
    host.store,
    caller,
    idempotencyOf(call, body),
    planned,
    async (tx, now) => {
      const rows = await tx.select('webhooks', { org, endedAt: null }, { limit: MOST });
      if (rows.length === MOST)
        throw new Refused('too_many', `An org has ${MOST} webhooks at most. Remove one first.`);
      await insertWebhook(tx, { ...body, org, id: planned.id, createdBy }, now);
    },
  );
  const row = intact(await host.store.read((tx) => tx.get('webhooks', { org, id: made.id })));
  if (row === undefined || row.endedBecause === 'removed') throw new Refused('not_found', NO_WEBHOOK);
  return {
    status: 201,
    body: { ...webhookView(row, 0, 0), secret: row.secret },
    headers: { location: `/v1/webhooks/${row.id}`, ...(replayed ? REPLAYED : {}) },
  };
}

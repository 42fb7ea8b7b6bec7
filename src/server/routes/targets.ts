import { z } from 'zod';
import {
  observationSchema,
  retirementSchema,
  targetSchema,
  targetsSchema,
} from '../../contract/answers/fleet.ts';
import { TARGET_NAME } from '../../contract/names.ts';
import {
  type ObservationRequest,
  type ObservationRule,
  observationRequestSchema,
} from '../../contract/observation.ts';
import { RUNTIMES } from '../../contract/vocabulary.ts';
import type { Host } from '../../evidence/door/host.ts';
import { ruleOf, setObservation } from '../../evidence/report/observation-rule.ts';
import { retirePlace } from '../../evidence/report/retire.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { redact } from '../../redact/redact.ts';
import { NAMELESS, readable } from '../../store/broken-row.ts';
import type { ServerContext } from '../context.ts';
import { inPages } from '../http/cursor.ts';
import { idempotencyOf, REPLAYED } from '../http/idempotency.ts';
import { createOnce } from '../http/idempotent-create.ts';
import { Refused } from '../http/problems.ts';
import { type Call, type Reply, type Route, route, shortListQuery } from '../http/route.ts';
import { unwrap } from '../http/unwrap.ts';
import { inUse, targetsOf } from '../reads/targets.ts';

const declaration = z.object({
  target: z.string().regex(TARGET_NAME, 'up to 40 of a-z, 0-9 and -'),
  runtime: z.enum(RUNTIMES).nullish(),
});

const retirement = z.object({
  identity: z.string().min(1).max(200),
  reason: z.string().min(1).max(1000),
});

/** Routes for targets. Declaring one is optional: it names the runtime before the agent registers. */
export function targetRoutes(context: ServerContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/targets',
      access: 'read',
      summary: 'Targets, who speaks for each, and how many services it has',
      query: z.object(shortListQuery(context.config)),
      answers: { 200: 'items, cursor' },
      gives: { 200: targetsSchema },
      handle: async (call) =>
        inPages(
          'targets',
          call,
          { items: await targetsOf(context.host, call.caller) },
          ({ target }) => target,
        ),
    }),
    route({
      method: 'POST',
      path: '/v1/targets',
      access: 'administer',
      summary: 'Declare a target and what runs there; again, to change it',
      body: declaration,
      answers: { 201: 'target, runtime, agent, services' },
      gives: { 201: targetSchema },
      keyed: true,
      handle: (call) => declare(context, call),
    }),
    route({
      method: 'DELETE',
      path: '/v1/targets/:target',
      access: 'administer',
      summary: 'Take a target off the list, once nothing runs there and nobody speaks for it',
      answers: { 204: 'removed', 404: 'not_found', 409: 'target_in_use' },
      gives: {},
      handle: (call) => remove(context, call),
    }),
    route({
      method: 'POST',
      path: '/v1/targets/:target/retirements',
      access: 'retire',
      summary: 'Say that a former place of a target is no more: from then on the new place alone is judged',
      body: retirement,
      answers: {
        202: 'target, identity, retiredAt',
        404: 'not_found: the target never had this place',
        409: 'identity_current',
      },
      gives: { 202: retirementSchema },
      handle: (call) => retire(context, call),
    }),
    route({
      method: 'GET',
      path: '/v1/targets/:target/observation',
      access: 'read',
      summary: 'The rule of a target: what other tools deploy there and is observed',
      answers: { 200: 'target, version, namespaces, selector, since, actor, absent' },
      gives: { 200: observationSchema },
      handle: (call) => observed(context, call),
    }),
    route({
      method: 'PUT',
      path: '/v1/targets/:target/observation',
      access: 'administer',
      summary: 'Observe everything that other tools deploy there, now and from now on',
      body: observationRequestSchema,
      answers: { 200: 'target, version, namespaces, selector, since, actor, absent' },
      gives: { 200: observationSchema },
      handle: (call) => observe(context, call, call.body),
    }),
    route({
      method: 'DELETE',
      path: '/v1/targets/:target/observation',
      access: 'administer',
      summary: 'Observe nothing of what other tools deploy there any more',
      answers: { 200: 'target, version, namespaces, selector, since, actor, absent' },
      gives: { 200: observationSchema },
      handle: (call) => observe(context, call, null),
    }),
  ];
}

/** A caller that does not see the target is told no more than of one that has no rule. */
async function observed({ host }: ServerContext, { caller, params }: Call<unknown, unknown>): Promise<Reply> {
  const target = namedTarget(params);
  const isSeen = (await targetsOf(host, caller)).some((one) => one.target === target);
  const rule = isSeen ? await host.store.read((tx) => ruleOf(tx, caller.org, target)) : null;
  return { body: await ruleView(host, caller.org, target, rule) };
}

async function observe(
  { host }: ServerContext,
  { caller, params }: Call<unknown, unknown>,
  request: ObservationRequest | null,
): Promise<Reply> {
  const target = namedTarget(params);
  const { rule } = unwrap(await setObservation(host, caller, target, request));
  return { body: await ruleView(host, caller.org, target, rule) };
}

function namedTarget({ target = '' }: Call<unknown, unknown>['params']): string {
  if (TARGET_NAME.test(target)) return target;
  throw new Refused('invalid_request', 'A target’s name has up to 40 characters: a-z, 0-9 and -.', {
    errors: ['target: malformed'],
  });
}

const ruleView = async (host: Host, org: string, target: string, rule: ObservationRule | null) => ({
  target,
  version: rule?.version ?? 0,
  namespaces: rule?.namespaces ?? null,
  selector: rule?.selector ?? null,
  ask: rule?.ask ?? false,
  since: rule === null ? null : rfc3339(rule.since),
  actor: rule?.actor ?? null,
  absent: await absentNamespaces(host, org, target, rule?.namespaces ?? []),
});

/** Namespaces of the rule that its agent did not find in the cluster. */
async function absentNamespaces({ store }: Host, org: string, target: string, named: readonly string[]) {
  const keys = named.filter((one) => one !== '*').map((one) => [one, `ns/${one}`] as const);
  return store.read(async (tx) => {
    const found = [];
    for (const [namespace, scope] of keys) {
      const { notes, asOf } = readable(await tx.get('scopes', { org, target, scope }));
      if (notes?.absent && asOf !== undefined) found.push({ namespace, asOf: rfc3339(asOf) });
    }
    return found;
  });
}

async function declare(
  { host }: ServerContext,
  call: Call<unknown, z.infer<typeof declaration>>,
): Promise<Reply> {
  const { caller, body } = call;
  const { target, runtime = null } = body;
  const { org } = caller;
  const planned = { kind: 'target', target } as const;
  const { replayed } = await createOnce(
    host.store,
    caller,
    idempotencyOf(call, body),
    planned,
    async (tx, now) => {
      if (
        !(await tx.insert('targets', {
          org,
          target,
          runtime,
          createdAt: now,
          removedAt: null,
          observation: null,
          defaultNamespace: null,
        }))
      )
        await tx.update('targets', { org, target }, {}, { runtime, removedAt: null });
    },
  );
  const [view] = (await targetsOf(host, caller)).filter((one) => one.target === target);
  return {
    status: 201,
    body: view ?? { target, runtime, agent: null, services: 0, notOnRecord: [] },
    headers: replayed ? REPLAYED : {},
  };
}

/** Repeating it answers the same: a place is retired once. */
async function retire(
  { host }: ServerContext,
  { caller, params, body }: Call<unknown, z.infer<typeof retirement>>,
): Promise<Reply> {
  const { target = '' } = params;
  const { identity } = body;
  const reason = redact(body.reason);
  const { retiredAt } = unwrap(await retirePlace(host, caller, target, { identity, reason }));
  return { status: 202, body: { target, identity, retiredAt: rfc3339(retiredAt) } };
}

/** Refuses while a service is to run there or the agent is alive: it would go on running unobserved. */
async function remove({ host }: ServerContext, { caller, params }: Call<unknown, unknown>): Promise<Reply> {
  const { org } = caller;
  const { target = '' } = params;
  if (!(await targetsOf(host, caller)).some((one) => one.target === target))
    throw new Refused('not_found', 'No such target.');
  await host.store.transact(async (tx) => {
    const now = await tx.now();
    const row = await tx.lock('agents', { org, target });
    const { agent = NAMELESS, instance = NAMELESS, seenAt } = readable(row);
    const until = (seenAt ?? 0) + host.settings.freshForMs;
    if (seenAt !== undefined && now < until)
      throw new Refused('target_in_use', `${agent} speaks for this target; stop it first.`, {
        holder: { agent, instance },
        until: rfc3339(until),
      });
    const service = await inUse(tx, org, target);
    if (service !== null)
      throw new Refused('target_in_use', `${service} is to run there; tear it down first.`, {
        holder: { service },
      });
    const declared = {
      org,
      target,
      runtime: null,
      createdAt: now,
      removedAt: now,
      observation: null,
      defaultNamespace: null,
    };
    if (!(await tx.insert('targets', declared)))
      await tx.update('targets', { org, target }, {}, { removedAt: now });
  });
  return { status: 204 };
}

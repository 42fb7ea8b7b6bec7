import { z } from 'zod';
import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import { beatsAnswerSchema, registeredSchema, reportedSchema } from '../../contract/answers/fleet.ts';
import { TARGET_NAME } from '../../contract/names.ts';
import { observationAnswer } from '../../contract/observation.ts';
import { type RegistrationRequest, registrationSchema, reportSchema } from '../../contract/report.ts';
import { inSlices } from '../../event-loop/slices.ts';
import { hasBeats, reportBeats } from '../../evidence/report/beats.ts';
import { startGrouping } from '../../evidence/report/items.ts';
import { register } from '../../evidence/report/register.ts';
import { report } from '../../evidence/report/report.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { redactName } from '../../redact/redact.ts';
import { redactReport } from '../../redact/redact-body.ts';
import type { ServerContext } from '../context.ts';
import { Refused } from '../http/problems.ts';
import { type Route, route } from '../http/route.ts';
import { unwrap } from '../http/unwrap.ts';

/** Registrations and reports of agents. */
export function agentRoutes(context: ServerContext): Route[] {
  const { host } = context;
  return [
    route({
      method: 'POST',
      path: '/v1/targets/:target/registrations',
      vital: true,
      verbChecksToken: true,
      access: 'represent',
      summary: 'Speak for a target from now on; whoever spoke for it before is fenced',
      body: registrationSchema,
      answers: {
        200: 'epoch, reportEveryMs, freshForMs, now, observation, names, namespaces, defaultNamespace',
        403: 'forbidden',
        409: 'instance_fenced, identity_retired',
      },
      gives: { 200: registeredSchema },
      handle: async ({ caller, params, body }) => ({
        body: await registerAgent(context, caller, params.target ?? '', body),
      }),
    }),
    route({
      method: 'POST',
      path: '/v1/targets/:target/reports',
      vital: true,
      verbChecksToken: true,
      access: 'represent',
      summary: 'What is there (full), what changed (change), or that nothing did (heartbeat)',
      takes: 'report',
      body: z.unknown(),
      answers: { 200: 'seq, now, resync, rejected, observation', 400: 'invalid_request', 409: 'stale_epoch' },
      gives: { 200: z.union([reportedSchema, beatsAnswerSchema]) },
      describes: reportSchema,
      handle: async ({ caller, params, body }) => {
        const target = representedTarget(caller, params.target ?? '');
        // Nothing of a heartbeat is free text.
        if (!hasBeats(body)) return { body: await takeReport(context, caller, target, body) };
        const { now, observation, beats } = unwrap(await reportBeats(host, caller, target, body));
        return { body: { now: rfc3339(now), observation: observationAnswer(observation), beats } };
      },
    }),
  ];
}

/** Registers an agent for a target, for every front door. */
export async function registerAgent(
  { host }: Pick<ServerContext, 'host'>,
  caller: Caller,
  target: string,
  registration: RegistrationRequest,
) {
  const { reportEveryMs, freshForMs } = host.settings;
  const { epoch, now, observation, names, namespaces, defaultNamespace } = unwrap(
    await register(
      host,
      { ...caller, instance: registration.instance },
      representedTarget(caller, target),
      redactRegistration(registration),
    ),
  );
  return {
    epoch,
    reportEveryMs,
    freshForMs,
    now: rfc3339(now),
    observation: observationAnswer(observation),
    names,
    namespaces,
    defaultNamespace,
  };
}

/** Takes a report, for every front door. */
export async function takeReport(
  { host, secrets }: Pick<ServerContext, 'host' | 'secrets'>,
  caller: Caller,
  target: string,
  body: unknown,
) {
  const { seq, now, resync, rejected, observation } = unwrap(
    await report(host, caller, target, body, {
      prepare: (read) => redactReport(read, (service) => secrets.of(caller.org, service)),
      group: async (parsed) => {
        const grouping = startGrouping(parsed, target);
        await inSlices(grouping.next);
        return grouping.done();
      },
      mayBeCalm: ({ kind }) => kind !== 'change',
    }),
  );
  return { seq, now: rfc3339(now), resync, rejected, observation: observationAnswer(observation) };
}

/**
 * Redacts a registration, because every viewer sees it. `instance` and `identity` are compared: redacted, two
 * of them could become equal, and one cluster pass for another. One that holds a secret is therefore refused.
 */
function redactRegistration(registration: RegistrationRequest): RegistrationRequest {
  const secret = (['instance', 'identity'] as const).filter(
    (name) => redactName(registration[name]) !== registration[name],
  );
  if (secret.length > 0)
    throw new Refused('invalid_request', `What everybody sees holds a secret: ${secret.join(', ')}.`, {
      errors: secret.map((name) => `${name}: holds a secret`),
    });
  return {
    ...registration,
    agent: redactName(registration.agent),
    version: redactName(registration.version),
  };
}

/** The target that a caller speaks for, if it may. */
export function representedTarget(caller: Caller, target: string): string {
  if (!TARGET_NAME.test(target))
    throw new Refused('invalid_request', 'A target’s name has up to 40 characters: a-z, 0-9 and -.', {
      errors: ['target: malformed'],
    });
  unwrap(authorize(caller, { operation: 'represent', target }));
  return target;
}

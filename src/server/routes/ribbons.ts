import { z } from 'zod';
import { VisibleService } from '../../access/visible-service.ts';
import { ribbonSchema, ribbonsSchema } from '../../contract/answers/history.ts';
import { SERVICE_REF, serviceRef } from '../../contract/names.ts';
import { noService } from '../../contract/problem.ts';
import type { ServerContext } from '../context.ts';
import { Refused } from '../http/problems.ts';
import { type Route, route } from '../http/route.ts';
import { serviceRoute } from '../http/service-route.ts';
import { ribbonViews } from '../reads/ribbons.ts';
import type { SharedReads } from '../reads/shared-reads.ts';
import { sharedReply } from './shared-reply.ts';

const POINTS = 288;
const MOST_POINTS = 2_000;
const MOST_SERVICES = 200;

const instant = z.iso.datetime({ offset: true });
const windowQuery = {
  from: instant.optional().describe('Left out: a day before `to`.'),
  to: instant.optional().describe('Left out: now.'),
  points: z.coerce
    .number()
    .pipe(z.int().min(1).max(MOST_POINTS))
    .default(POINTS)
    .describe(
      'At most so many stretches; where there are more, the state that needs the most attention is shown.',
    ),
};

/** The states of services over time, as lists and pages draw them. */
export function ribbonRoutes(context: ServerContext, long: SharedReads): Route[] {
  const { host } = context;
  return [
    serviceRoute(context, {
      method: 'GET',
      path: '/v1/services/:ref/ribbon',
      access: 'read',
      summary: 'The states of a service over a window of time, with its deploys and restarts',
      query: z.object(windowQuery),
      answers: { 200: 'the ribbon', 404: 'not_found' },
      gives: { 200: ribbonSchema },
      handle: async (call, find) => {
        const asked = windowOf(call.query);
        const [ribbon] = await ribbonViews(host, [await find()], asked);
        if (ribbon === undefined) throw new Refused('not_found', noService().detail);
        return { body: ribbon };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/ribbons',
      access: 'read',
      summary: 'The same for a list of services, in one read',
      query: z.object({
        services: z
          .string()
          .max(MOST_SERVICES * 130)
          .describe('Names with commas between them. Services that there are not are left out.'),
        ...windowQuery,
      }),
      answers: { 200: 'items' },
      gives: { 200: ribbonsSchema },
      handle: (call) => {
        const refs = namesIn(call.query.services);
        const asked = windowOf(call.query);
        const visible = refs.flatMap((ref) => {
          const answer = VisibleService.authorized(call.caller, 'read', ref);
          return answer.ok ? [answer.visible] : [];
        });
        return sharedReply(long, call, host, async () => ({
          body: { items: await ribbonViews(host, visible, asked) },
        }));
      },
    }),
  ];
}

function windowOf({
  from,
  to,
  points,
}: {
  from?: string | undefined;
  to?: string | undefined;
  points: number;
}) {
  const window = {
    from: from === undefined ? null : Date.parse(from),
    to: to === undefined ? null : Date.parse(to),
    points,
  };
  if (window.from !== null && window.to !== null && window.from >= window.to)
    throw new Refused('invalid_request', 'The window ends before it begins: from must be earlier than to.', {
      errors: ['to: not after from'],
    });
  return window;
}

function namesIn(services: string): string[] {
  const names = services.split(',');
  const refs = names.flatMap((name) => serviceRef(name) ?? []);
  if (refs.length < names.length)
    throw new Refused('invalid_request', 'A name in services is malformed.', {
      errors: [`services: names match ${SERVICE_REF.source}`],
    });
  if (refs.length > MOST_SERVICES)
    throw new Refused('invalid_request', `At most ${MOST_SERVICES} services at once.`, {
      errors: ['services: too many'],
    });
  return [...new Set(refs)];
}

import { z } from 'zod';
import { audienceOf } from '../../access/roles.ts';
import { servicesSchema } from '../../contract/answers/history.ts';
import type { Claim } from '../../contract/claim.ts';
import { SERVICE_REF } from '../../contract/names.ts';
import { STATES } from '../../contract/vocabulary.ts';
import type { Host } from '../../evidence/door/host.ts';
import { holdingsOf, isMaybeHeld } from '../../evidence/past/holdings.ts';
import type { ServerContext } from '../context.ts';
import { page, readCursor } from '../http/cursor.ts';
import { pageQuery, type Route, route } from '../http/route.ts';
import type { FailingLines } from '../reads/failing-lines.ts';
import {
  type Listed,
  listServices,
  PLACE_BY_ATTENTION,
  placeIn,
  SERVICE_ORDERS,
  serviceView,
} from '../reads/services.ts';
import type { SharedReads } from '../reads/shared-reads.ts';
import { sharedReply } from './shared-reply.ts';

/** The list of services. A whole page of it is work that other orgs wait for, so an org has one of them at a time (F125). */
export function serviceListRoute(context: ServerContext, long: SharedReads, failing: FailingLines): Route {
  const { host } = context;
  return route({
    method: 'GET',
    path: '/v1/services',
    access: 'read',
    summary: 'Services with their claims; filtered by the claim of now, exactly',
    query: z.object({
      ...pageQuery(context.config),
      state: z.enum(STATES).optional(),
      target: z.string().max(40).optional(),
      order: z.enum(SERVICE_ORDERS).default('name'),
      hidden: z.enum(['true', 'false']).optional(),
    }),
    answers: { 200: 'items, cursor' },
    gives: { 200: servicesSchema },
    handle: (call) => {
      const { limit, cursor, state, target, order, hidden } = call.query;
      const { caller, request } = call;
      const { org } = caller;
      const list = order === 'name' ? 'services' : 'services by attention';
      const filter = {
        after: readCursor(list, cursor, order === 'name' ? SERVICE_REF : PLACE_BY_ATTENTION) ?? '',
        ...{ order, target, hidden: hidden === 'true', binding: caller, limit: limit + 1 },
        ...(state !== undefined && { states: [state] }),
      };
      return sharedReply(long, call, host, async (signal) => {
        const { found, unreadable } = await listServices(host, org, audienceOf(caller), filter, signal);
        const claims = found.map(({ claim }) => claim);
        const lines = await failing.of(host, org, claims);
        const nameOf = (listed: Listed) => placeIn(order, listed);
        const held = await heldAmong(host, org, claims);
        const show = (listed: Listed) =>
          serviceView(listed, null, lines.get(listed.service) ?? null, held.get(listed.service) ?? null);
        const listed = page(list, request.url, found, limit, nameOf, show);
        return unreadable.length === 0 ? listed : { ...listed, body: { ...listed.body, unreadable } };
      });
    },
  });
}

export const heldAmong = (host: Host, org: string, claims: readonly Claim[]) =>
  holdingsOf(
    host,
    org,
    claims.filter(isMaybeHeld).map(({ service }) => service),
  );

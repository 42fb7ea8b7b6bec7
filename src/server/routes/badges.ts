import { z } from 'zod';
import type { Claim } from '../../contract/claim.ts';
import { badgeOf } from '../../contract/presentation/badge.ts';
import { NO_SERVICE } from '../../contract/problem.ts';
import { claimNow } from '../../evidence/read.ts';
import { readable } from '../../store/broken-row.ts';
import type { ServerContext } from '../context.ts';
import { Refused } from '../http/problems.ts';
import type { Reply, Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import { serviceRoute } from '../http/service-route.ts';
import { unwrap } from '../http/unwrap.ts';
import { badgeSvg } from '../pages/badge-svg.ts';
import { readServiceRow } from '../reads/services.ts';

/** A badge is kept no longer than its claim is fresh, and never longer than this. */
const LONGEST_KEPT_S = 10;

/** The endpoint of shields.io. */
const shieldSchema = z.object({
  schemaVersion: z.literal(1),
  label: z.string(),
  message: z.string(),
  color: z.string(),
  isError: z.boolean(),
  cacheSeconds: z.int(),
});

const AS_SVG = {
  answers: { 200: 'a picture', 404: 'not_found' },
  gives: { 200: { 'image/svg+xml': null } },
} as const;
const AS_JSON = {
  answers: { 200: 'label, message, color', 404: 'not_found' },
  gives: { 200: shieldSchema },
} as const;

/** A claim as a picture, for a README or a wiki. */
export function badgeRoutes(context: ServerContext): Route[] {
  const claimOf = async (org: string, service: string) =>
    unwrap(await claimNow(context.host, org, service, 'user')).claim;
  const forms = [
    { form: 'svg', reply: asSvg, ...AS_SVG },
    { form: 'json', reply: asShield, ...AS_JSON },
  ] as const;
  return forms.flatMap(({ form, reply, answers, gives }) => [
    serviceRoute(context, {
      method: 'GET',
      path: `/v1/services/:ref/badge.${form}`,
      access: 'read',
      summary: form === 'svg' ? 'A badge' : 'A badge, as shields.io reads it',
      ...{ answers, gives },
      handle: async (_call, find) => {
        const { org, service } = await find();
        return reply(await claimOf(org, service));
      },
    }),
    route({
      method: 'GET',
      path: `/badges/:org/:ref/badge.${form}`,
      access: 'public',
      summary: `The same for everybody, where the service’s spec says badge: public`,
      ...{ answers, gives },
      handle: async ({ params: { org = '', ref = '' } }) =>
        reply(await claimOf(org, await publicService(context, org, ref))),
    }),
  ]);
}

/** The full name of a service whose badge everybody may see. Any other is as absent as one that never was (F109). */
async function publicService({ host }: ServerContext, org: string, ref: string): Promise<string> {
  const { service, spec } = await host.store.read(async (tx) => {
    const found = await readServiceRow(tx, org, ref);
    const { newest } = readable(found?.row);
    if (found === undefined || newest === undefined) return {};
    return readable(await tx.get('revisions', { org, service: found.service, revision: newest }));
  });
  if (service === undefined || spec?.badge !== 'public') throw new Refused('not_found', NO_SERVICE);
  return service;
}

const keptSeconds = ({ freshness, now }: Claim) => {
  const left = freshness.validUntil === null ? 0 : Date.parse(freshness.validUntil) - Date.parse(now);
  return Math.max(0, Math.min(LONGEST_KEPT_S, Math.floor(left / 1_000)));
};

const caching = (claim: Claim) => ({ 'cache-control': `max-age=${keptSeconds(claim)}, must-revalidate` });

function asSvg(claim: Claim): Reply {
  const text = badgeSvg(badgeOf(claim));
  return { body: text, headers: { 'content-type': 'image/svg+xml; charset=utf-8', ...caching(claim) } };
}

function asShield(claim: Claim): Reply {
  const { label, message, color } = badgeOf(claim);
  const isError = claim.state === 'failed';
  return {
    body: { schemaVersion: 1, label, message, color, isError, cacheSeconds: keptSeconds(claim) },
    headers: caching(claim),
  };
}

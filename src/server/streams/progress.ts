import type { FastifyRequest } from 'fastify';
import { claimNow } from '../../evidence/read.ts';
import type { Acted } from '../../intent/acted.ts';
import { seesDetail } from '../auth/access.ts';
import { REPLAYED } from '../http/idempotency.ts';
import type { Call, Reply } from '../http/route.ts';
import type { Parts } from '../parts.ts';
import type { Place } from './feeds.ts';
import type { Sse } from './sse.ts';
import { watch } from './watch.ts';

export const wantsStream = ({ headers }: FastifyRequest) =>
  /\btext\/event-stream\b/.test(headers.accept ?? '');

/** The answer of a deployment as its own progress: until what was asked is settled, however it ends. */
export async function followDeployment(
  parts: Parts,
  call: Call<unknown, unknown>,
  asked: Acted,
  place: Place,
): Promise<Reply> {
  const { service, revision, attempt, replayed } = asked;
  const headers = {
    location: `/v1/services/${service}/revisions/${revision}`,
    ...(replayed ? REPLAYED : {}),
  };
  let asking = false;
  const look = async (sse: Sse) => {
    if (asking || !sse.open) return;
    asking = true;
    try {
      const outcome = await outcomeOf(parts, call.caller.org, service, revision, attempt);
      if (outcome === 'in_progress') return;
      const audience = seesDetail(call.caller.role) ? 'operator' : 'user';
      const answer = await claimNow(parts.host, call.caller.org, service, audience);
      if (answer.ok)
        sse.send(
          'settled',
          { ...answer.claim, settled: { revision, attempt, outcome } },
          answer.claim.position,
        );
      sse.end('settled');
    } catch (error) {
      parts.log.debug({ err: error }, 'a progress stream could not look; it looks again');
    } finally {
      asking = false;
    }
  };
  return watch(parts, call, { service, headers, place, caughtUp: (sse) => void look(sse) });
}

async function outcomeOf(
  { host }: Parts,
  org: string,
  service: string,
  revision: number,
  attempt: number,
): Promise<string> {
  const row = await host.store.read((tx) => tx.get('attempts', { org, service, revision, attempt }));
  return row?.outcome ?? 'in_progress';
}

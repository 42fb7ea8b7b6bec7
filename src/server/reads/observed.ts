import type { Caller } from '../../access/caller.ts';
import { seesDetail } from '../../access/roles.ts';
import type { VisibleService } from '../../access/visible-service.ts';
import type { Host } from '../../evidence/door/host.ts';
import { fileNow } from '../../evidence/door/service-file.ts';
import { headAt } from '../../evidence/past/head-at.ts';
import { fileAt } from '../../evidence/past/past.ts';
import { spellOf } from '../../projection/exits.ts';
import { freshnessOf, partsAsOf } from '../../projection/freshness.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { observedInstances } from '../../projection/running-contract.ts';
import { redactObserved } from '../../redact/redact-body.ts';
import type { SecretValues } from '../../redact/secret-values.ts';
import { Refused } from '../http/problems.ts';

/** The instances of a service as last observed, or as observed at an instant. Messages of the runtime, nodes and fences are for operators. */
export async function instancesOf(
  host: Host,
  caller: Caller,
  { org, service }: VisibleService,
  at: number | null,
  secrets: SecretValues,
) {
  const detail = seesDetail(caller.role);
  const file = await host.store.read(async (tx) => {
    if (at === null) return (await fileNow(tx, host.settings, org, service))?.file ?? null;
    const past = await fileAt(tx, host.settings, org, service, { at, head: await headAt(tx, org, at) });
    if (past === null) throw new Refused('not_found', 'No such service at that time.');
    return past;
  });
  if (file === null) return [];
  // An instance in two scopes' reports counts as in the newer one, as for the claim.
  const counted = new Set(observedInstances(file.proven.observed));
  const { broken } = freshnessOf(file.proven.observed, file.facts.liveness);
  const { freshForMs } = host.settings;
  return partsAsOf(file.proven.observed, file.facts.liveness).flatMap(([{ instances }, asOf]) =>
    instances
      .filter((one) => counted.has(one))
      .map((one) => ({ one, exits: spellOf(file.proven.observed, one) }))
      .map(({ one: { steady: _steady, message, node, fence, ...instance }, exits }) => ({
        ...redactObserved(instance, secrets),
        exits:
          exits === null
            ? null
            : { count: exits.exits, first: rfc3339(exits.first), last: rfc3339(exits.last) },
        ...(detail ? { message: message ?? null, node: node ?? null, fence } : {}),
        asOf: rfc3339(asOf),
        validUntil: broken === null ? rfc3339(asOf + freshForMs) : null,
      })),
  );
}

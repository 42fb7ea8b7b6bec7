import type { Caller } from '../../access/caller.ts';
import { seesDetail } from '../../access/roles.ts';
import type { VisibleService } from '../../access/visible-service.ts';
import { earlierTemplates } from '../../evidence/door/earlier-templates.ts';
import type { Host } from '../../evidence/door/host.ts';
import { fileNow, type ServiceFile } from '../../evidence/door/service-file.ts';
import { headAt } from '../../evidence/past/head-at.ts';
import { fileAt } from '../../evidence/past/past.ts';
import { spellOf } from '../../projection/exits.ts';
import { freshnessOf, partsAsOf } from '../../projection/freshness.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { observedInstances } from '../../projection/running-contract.ts';
import { redactObserved } from '../../redact/redact-body.ts';
import type { SecretValues } from '../../redact/secret-values.ts';
import type { ReadTx } from '../../store/port.ts';
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
  const read = await host.store.read(async (tx) => {
    const file = await fileOf(tx, host.settings, { org, service }, at);
    return file === null ? null : { file, revisions: await revisionsByTemplate(tx, file) };
  });
  if (read === null) return [];
  const { freshForMs } = host.settings;
  return instanceRows(read.file, read.revisions, { detail, secrets, freshForMs });
}

interface InstanceAudience {
  /** Messages of the runtime, nodes and fences are shown. */
  readonly detail: boolean;
  readonly secrets: SecretValues;
  readonly freshForMs: number;
}

/** @param revisions the revision of each template, where an instance has no stamp */
export function instanceRows(
  file: Pick<ServiceFile, 'proven' | 'facts'>,
  revisions: ReadonlyMap<string, number>,
  { detail, secrets, freshForMs }: InstanceAudience,
) {
  // An instance in two scopes' reports counts as in the newer one, as for the claim.
  const counted = new Set(observedInstances(file.proven.observed));
  const { broken } = freshnessOf(file.proven.observed, file.facts.liveness);
  return partsAsOf(file.proven.observed, file.facts.liveness).flatMap(([{ instances }, asOf]) =>
    instances
      .filter((one) => counted.has(one))
      .map((one) => ({ one, exits: spellOf(file.proven.observed, one) }))
      .map(({ one: { steady: _steady, message, node, fence, ...instance }, exits }) => ({
        ...redactObserved(instance, secrets),
        revision: instance.revision ?? revisions.get(instance.template ?? '') ?? null,
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

type PastOrPresent = Pick<ServiceFile, 'org' | 'service' | 'proven' | 'facts' | 'revisions'>;

async function fileOf(
  tx: ReadTx,
  settings: Host['settings'],
  { org, service }: Pick<VisibleService, 'org' | 'service'>,
  at: number | null,
): Promise<PastOrPresent | null> {
  if (at === null) return (await fileNow(tx, settings, org, service))?.file ?? null;
  const past = await fileAt(tx, settings, org, service, { at, head: await headAt(tx, org, at) });
  if (past === null) throw new Refused('not_found', 'No such service at that time.');
  return past;
}

/** The revision of each template, the newest of several: in observe mode an instance has no stamp. */
async function revisionsByTemplate(tx: ReadTx, file: PastOrPresent): Promise<ReadonlyMap<string, number>> {
  const hasTemplates = observedInstances(file.proven.observed).some(
    ({ revision, template }) => revision === null && template != null,
  );
  const newest = file.proven.revisions.at(-1)?.revision;
  if (!hasTemplates || newest === undefined) return new Map();
  const found = [...(await earlierTemplates(tx, file, newest + 1))].reverse();
  const adopted = file.proven.revisions.flatMap(({ revision, adopted }) =>
    adopted === undefined ? [] : [[adopted.template, revision] as const],
  );
  return new Map([...found.map(({ template = '', revision }) => [template, revision] as const), ...adopted]);
}

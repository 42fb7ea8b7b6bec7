import type { Spec } from '../contract/intent.ts';
import { targetOf } from '../contract/names.ts';
import { builtBy } from '../evidence/built.ts';
import type { Host } from '../evidence/host.ts';
import { isReadable } from '../store/columns.ts';
import type { ReadTx } from '../store/port.ts';
import type { RevisionRow } from '../store/schema.ts';
import type { Offer } from './acquire.ts';

/** What the holder of a command needs to do it; those who were offered work together look it up together. */
export async function inputOf(host: Host, org: string, offer: Offer): Promise<object> {
  const look = (offers: readonly Offer[]) =>
    host.store.read(async (tx) => {
      // Begun together: PostgreSQL gets the questions in one write.
      return Promise.all(offers.map((one) => lookUp(tx, org, one)));
    });
  if (host.sharing !== undefined) return host.sharing.join(`input ${org}`, 1, offer, look);
  const [input = {}] = await look([offer]);
  return input;
}

/** Builders get no secrets; the agent that starts the app does. */
async function lookUp(tx: ReadTx, org: string, { kind, service, revision }: Offer): Promise<object> {
  const row = await tx.get('revisions', { org, service, revision });
  if (row === undefined || !isReadable(row)) return {};
  const { origin } = row;
  const declared = await tx.get('targets', { org, target: targetOf(service) });
  const spec = { ...(declared?.runtime ? { runtime: declared.runtime } : {}), ...wholeSpec(row) };
  if (kind === 'build')
    return { source: origin.kind === 'source' ? origin.digest : null, spec: withoutSecrets(spec) };
  if (kind === 'remove') return { spec: withoutSecrets(spec) };
  // A `scale` keeps instances that carry these stamps; to the runtime nothing else tells it from a restart.
  const { accepts } = row;
  if (origin.kind === 'image') return { artifact: origin.image, spec, accepts };
  if (origin.kind === 'artifact') return { artifact: origin.digest, spec, accepts };
  // Its own build has spoken since it was asked for: where the spec is silent, the plan says how to start it.
  const built = await builtBy(tx, org, service, revision);
  const port = spec.port === 'auto' ? (built?.port ?? null) : spec.port;
  const command = spec.command ?? built?.command ?? null;
  const whole = { ...spec, port, ...(command && { command }) };
  return { artifact: built?.artifact ?? null, spec: whole, accepts };
}

/** What was asked, with the defaults that filled it and what had been found when it was. */
export function wholeSpec({ spec, replicas, port, command, stabilityMs, deadlines }: RevisionRow): Spec {
  const { procfile = 'web', env = {}, concurrency = 'newest' } = spec;
  const start = command === null ? {} : { command: typeof command === 'string' ? command : [...command] };
  return { ...spec, ...start, procfile, env, replicas, port, stabilityMs, deadlines, concurrency };
}

function withoutSecrets(spec: Spec): Spec {
  const env = Object.entries(spec.env ?? {}).filter(([, value]) => typeof value === 'string');
  return { ...spec, env: Object.fromEntries(env) };
}

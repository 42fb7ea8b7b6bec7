import type { Spec } from '../contract/intent.ts';
import { targetOf } from '../contract/names.ts';
import type { Host } from '../evidence/door/host.ts';
import { attemptsOf, type Built, builtIn } from '../evidence/past/built.ts';
import { isIntact, readable } from '../store/broken-row.ts';
import { readSnapshotIn, type Store } from '../store/port.ts';
import type { RevisionRow, TargetRow } from '../store/schema.ts';
import type { Offer } from './offer.ts';

/**
 * The inputs of offered commands, in their order: everything a holder needs to carry each out. Offers of the same moment
 * are read together.
 */
export async function inputsOf(
  host: Host,
  org: string,
  offers: readonly Offer[],
): Promise<readonly object[]> {
  if (offers.length === 0) return [];
  const look = async (lists: readonly (readonly Offer[])[]) => {
    const inputs = await lookUp(host.store, org, lists.flat());
    return lists.map(({ length }) => inputs.splice(0, length));
  };
  if (host.sharing !== undefined) return host.sharing.join(`input ${org}`, offers.length, offers, look);
  const [inputs = []] = await look([offers]);
  return inputs;
}

async function lookUp(store: Store, org: string, offers: readonly Offer[]): Promise<object[]> {
  const [revisions, targets, ...attempts] = await readSnapshotIn(store, [
    { table: 'revisions', keys: offers.map(({ service, revision }) => ({ org, service, revision })) },
    { table: 'targets', keys: [...new Set(offers.map(targetIn))].map((target) => ({ org, target })) },
    ...offers.filter(mayRunBuilt).map(({ service, revision }) => attemptsOf(org, service, revision)),
  ]);
  const built = attempts.map(builtIn);
  return offers.map((offer) => {
    const { service, revision } = offer;
    const row = revisions
      .filter(isIntact)
      .find((one) => one.service === service && one.revision === revision);
    if (row === undefined) return {};
    const { runtime } = readable(targets.find((one) => readable(one).target === targetIn(offer)));
    const ownBuild = built.find((one) => one?.service === service && one.revision === revision);
    return inputFrom(offer, row, runtime ?? null, ownBuild);
  });
}

const targetIn = ({ service }: Offer) => targetOf(service);
const mayRunBuilt = ({ kind }: Offer) => kind === 'apply';

/** Builders receive no secrets; the agent that starts the app does. */
function inputFrom({ kind }: Offer, row: RevisionRow, runtime: TargetRow['runtime'], built?: Built): object {
  const { origin, accepts } = row;
  const spec = { ...(runtime ? { runtime } : {}), ...completeSpec(row) };
  if (kind === 'build')
    return { source: origin.kind === 'source' ? origin.digest : null, spec: withoutSecrets(spec) };
  if (kind === 'remove') return { spec: withoutSecrets(spec) };
  // A `scale` keeps instances that carry these stamps; in nothing else does it differ from a restart for the
  // runtime.
  if (origin.kind === 'image') return { artifact: origin.image, spec, accepts };
  if (origin.kind === 'artifact') return { artifact: origin.digest, spec, accepts };
  // The build has finished since the revision was recorded: for settings that the spec leaves open, its plan
  // decides.
  const port = spec.port === 'auto' ? (built?.port ?? null) : spec.port;
  const command = spec.command ?? built?.command ?? null;
  const complete = { ...spec, port, ...(command && { command }) };
  return { artifact: built?.artifact ?? null, spec: complete, accepts };
}

/** The complete spec of a revision: as requested, with its defaults and the plan of its build. */
export function completeSpec({ spec, replicas, port, command, stabilityMs, deadlines }: RevisionRow): Spec {
  const { procfile = 'web', env = {}, concurrency = 'newest' } = spec;
  const start = command === null ? {} : { command: typeof command === 'string' ? command : [...command] };
  return { ...spec, ...start, procfile, env, replicas, port, stabilityMs, deadlines, concurrency };
}

function withoutSecrets(spec: Spec): Spec {
  const env = Object.entries(spec.env ?? {}).filter(([, value]) => typeof value === 'string');
  return { ...spec, env: Object.fromEntries(env) };
}

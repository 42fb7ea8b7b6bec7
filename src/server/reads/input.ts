import type { Spec } from '../../contract/intent.ts';
import type { Host } from '../../evidence/host.ts';
import type { Offer } from '../../ownership/acquire.ts';
import type { RevisionRow } from '../../store/schema.ts';

/** What the holder of a command needs to do it. Builders get no secrets; the agent that starts the app does. */
export function inputOf(host: Host, org: string, { kind, service, revision }: Offer): Promise<object> {
  return host.store.read(async (tx) => {
    const row = await tx.get('revisions', { org, service, revision });
    if (row === undefined) return {};
    const { origin } = row;
    const spec = wholeSpec(row);
    if (kind === 'build')
      return { source: origin.kind === 'source' ? origin.digest : null, spec: withoutSecrets(spec) };
    if (kind === 'remove') return { spec: withoutSecrets(spec) };
    if (origin.kind === 'image') return { artifact: origin.image, spec };
    if (origin.kind === 'artifact') return { artifact: origin.digest, spec };
    const attempts = await tx.select('attempts', { org, service, revision }, { order: 'attempt' });
    const built = attempts.findLast((attempt) => attempt.artifact !== null);
    const found = typeof spec.port !== 'number' && built?.port != null ? { port: built.port } : {};
    return { artifact: built?.artifact ?? null, spec: { ...spec, ...found } };
  });
}

/** What was asked, with the defaults that filled it. */
export function wholeSpec({ spec, replicas, port, stabilityMs, deadlines }: RevisionRow): Spec {
  return { ...spec, replicas, port, stabilityMs, deadlines, concurrency: spec.concurrency ?? 'newest' };
}

/** Secret values are write-only: what is shown says that there is one. */
export function shownSpec(spec: Spec): object {
  if (spec.env === undefined) return spec;
  const env = Object.entries(spec.env).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : { secret: true },
  ]);
  return { ...spec, env: Object.fromEntries(env) };
}

function withoutSecrets(spec: Spec): Spec {
  if (spec.env === undefined) return spec;
  const env = Object.entries(spec.env).filter(([, value]) => typeof value === 'string');
  return { ...spec, env: Object.fromEntries(env) };
}

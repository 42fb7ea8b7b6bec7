import type { InstanceView } from '../answers/views.ts';
import type { Claim } from '../claim.ts';
import type { Spec } from '../intent.ts';
import type { DeclaredBesideObserved } from './workload.ts';

type Declared = Pick<Claim, 'desired' | 'serving' | 'lastServing' | 'nothingServes'>;

/**
 * Lists what the spec of a service asks for beside what its agent saw of its processes, which are `instances`. Those of
 * `kept` revisions count for the wanted one (`keptRevisions`).
 */
export function processesBesideSpec(
  claim: Declared,
  instances: readonly InstanceView[],
  { port }: Pick<Spec, 'port'>,
  kept: ReadonlySet<number>,
): DeclaredBesideObserved[] {
  const { desired } = claim;
  const up = instances
    .filter(({ phase }) => phase === 'running')
    .map(({ revision, ready }) => ({
      revision: revision !== null && kept.has(revision) ? desired.revision : revision,
      ready,
    }));
  const ready = up.filter((one) => one.ready && one.revision === desired.revision).length;
  const route = {
    what: 'Route',
    declared: port === undefined || port === 'auto' ? 'any port' : `port ${port}`,
    observed: answersFor(claim),
    agrees: routeAgrees(claim),
  };
  return [
    {
      ...{ what: 'Revision', declared: `r${desired.revision}`, observed: revisionsOf(up) },
      agrees:
        (up.length > 0 || desired.replicas === 0) &&
        up.every(({ revision }) => revision === desired.revision),
    },
    {
      what: 'Copies',
      declared: String(desired.replicas),
      observed: `${ready} ready of r${desired.revision}`,
      agrees: ready === desired.replicas,
    },
    ...(port === null ? [] : [route]),
  ];
}

/** Nothing is to answer where no copy is wanted. */
function routeAgrees({ desired, serving, nothingServes }: Declared): boolean | null {
  if (serving !== null) return serving.revision === desired.revision;
  return nothingServes !== undefined && desired.replicas > 0 ? false : null;
}

function answersFor({ serving, lastServing, nothingServes }: Declared): string {
  if (serving !== null) return `answers for r${serving.revision}`;
  if (nothingServes !== undefined) return 'answers for none';
  return lastServing === null ? 'not known' : `answered for r${lastServing.revision}`;
}

/** The copies of each revision, the newest first: `2 copies of r2, 1 of r1`. */
function revisionsOf(up: readonly Pick<InstanceView, 'revision'>[]): string {
  const counts = new Map<number, number>();
  for (const { revision } of up) if (revision !== null) counts.set(revision, (counts.get(revision) ?? 0) + 1);
  const newestFirst = [...counts].sort(([a], [b]) => b - a);
  const others = up.filter(({ revision }) => revision === null).length;
  const all = [
    ...newestFirst.map(([revision, n]) => ({ n, of: `of r${revision}` })),
    ...(others === 0 ? [] : [{ n: others, of: 'of no revision' }]),
  ];
  if (all.length === 0) return 'none is up';
  return all
    .map(({ n, of }, i) => (i > 0 ? `${n} ${of}` : `${n} ${n === 1 ? 'copy' : 'copies'} ${of}`))
    .join(', ');
}

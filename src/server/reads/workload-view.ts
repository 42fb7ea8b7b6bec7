import type { ServiceEntry } from '../../contract/report.ts';
import type { Proven } from '../../projection/facts.ts';
import { isReady } from '../../projection/instances.ts';
import { observedEntry, observedInstances, templateOf } from '../../projection/running-contract.ts';
import type { RevisionRow } from '../../store/schema.ts';

/**
 * The workload of a cluster that a service in observe mode stands for: what it declares beside what the last report
 * showed of it. How fresh that is, the claim says. Null where no rule of the target found one.
 */
export function workloadView(
  proven: Proven | null,
  revision: RevisionRow | undefined,
  withWarnings: boolean,
) {
  const shown = proven?.observed.workload?.workload;
  if (proven == null || shown === undefined) return null;
  const entry = observedEntry(proven.observed);
  const pods = observedInstances(proven.observed).filter(({ phase }) => phase !== 'stopping');
  const facts = proven.revisions.find((one) => one.revision === revision?.revision);
  const own = revision === undefined ? null : templateOf(revision, facts ?? {});
  const current = pods.filter(({ template }) => template !== null && template === own);
  const { kind, namespace, name, managedBy, fieldManager, release, images } = shown;
  return {
    ...{ kind, namespace, name },
    ...provenanceView({ managedBy, fieldManager, release, images, commit: shown.commit }),
    declared: { replicas: declaredIn(entry), template: entry?.template ?? null, images: images ?? [] },
    observed: {
      revision: revision?.revision ?? null,
      pods: current.length,
      ready: current.filter(isReady).length,
      unknown: current.filter(({ phase }) => phase === 'unknown').length,
      otherPods: pods.length - current.length,
      ...(entry?.heldBack != null && {
        heldBack: { pods: entry.heldBack.kept, ready: entry.heldBack.ready },
      }),
      digests: distinct(current.map(({ artifact }) => artifact)),
      saidBy: distinct(current.map(({ saidBy }) => saidBy)),
    },
    ...(withWarnings ? { warnings: entry?.warnings ?? [] } : {}),
  };
}

/** A CronJob declares runs, and no copies. */
function declaredIn(entry: ServiceEntry | null): number | null {
  if (entry?.workload?.kind === 'CronJob') return null;
  return entry?.heldBack?.declared ?? entry?.replicas ?? null;
}

type ShownProvenance = Pick<
  NonNullable<Proven['observed']['workload']>['workload'],
  'managedBy' | 'fieldManager' | 'release' | 'commit' | 'images'
>;

/** The tool, release and commit that something comes from, as the cluster says; null where it says nothing. */
export function provenanceView({ managedBy, fieldManager, release, commit, images }: ShownProvenance) {
  return {
    managedBy: managedBy ?? null,
    fieldManager: fieldManager ?? null,
    release: release ?? null,
    commit: commit ?? null,
    images: images ?? [],
  };
}

const distinct = <T>(values: readonly (T | null | undefined)[]): T[] => [
  ...new Set(values.filter((value): value is T => value != null)),
];

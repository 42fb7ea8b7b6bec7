import type { Deployer } from '../cache/managed-by.ts';
import { listAt, type ObjectFields, textAt } from '../verdict/fields.ts';

/** A whole hash: versions of charts and names of branches are no commits. */
const COMMIT = /(?:^|[/:@])([0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The commit that an Application of Argo CD or a Kustomization of Flux says it has applied; null while it applies one, or
 * says that what runs is another. Throws where a field has the wrong type. Pure.
 */
export function commitOfDeployer(kind: Deployer['kind'], object: ObjectFields): string | null {
  const revision = kind === 'Application' ? syncedBy(object) : appliedBy(object);
  return COMMIT.exec(revision ?? '')?.[1] ?? null;
}

/** `status.sync.revision` is the one that it compared with: only what is synced comes from it. */
function syncedBy(object: ObjectFields): string | null {
  const isSynced = textAt(object, 'status.sync.status') === 'Synced';
  const isAtWork = textAt(object, 'status.operationState.phase') === 'Running';
  return isSynced && !isAtWork ? textAt(object, 'status.sync.revision') : null;
}

function appliedBy(object: ObjectFields): string | null {
  const applied = textAt(object, 'status.lastAppliedRevision');
  const attempted = textAt(object, 'status.lastAttemptedRevision') ?? applied;
  const isReady = listAt(object, 'status.conditions').some(
    (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
  );
  return isReady && applied === attempted ? applied : null;
}

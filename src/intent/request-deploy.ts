import type { Caller } from '../access/caller.ts';
import { serviceRef, targetOf } from '../contract/names.ts';
import { type Answer, problem } from '../contract/problem.ts';
import type { RuntimeKind } from '../contract/vocabulary.ts';
import type { Host } from '../evidence/door/host.ts';
import { readable } from '../store/broken-row.ts';
import type { Acted, RequestKey } from './acted.ts';
import { type Deployment, deploy } from './deploy.ts';

/**
 * Deploys as a front door requests it: refused where the target only observes, and a source where Kubernetes would run it.
 * The target is read before the transaction: one that is declared or registered anew meanwhile is judged as it was.
 */
export async function requestDeploy(
  host: Host,
  caller: Caller,
  deployment: Deployment,
  key: RequestKey | null = null,
): Promise<Answer<Acted>> {
  const { runtime, isObserveOnly } = await targetFacts(host, caller.org, deployment);
  if (deployment.origin?.kind === 'source' && runtime === 'kubernetes' && !isObserveOnly)
    return problem(
      'image_required',
      'Kubernetes runs images: build one in your CI and deploy it by its digest.',
    );
  return deploy(host, caller, { ...deployment, isObserveOnly }, key);
}

/** The runtime that the spec names, or else the one that the target was declared with; and whether its agent observes. */
async function targetFacts(
  { store }: Host,
  org: string,
  { service: ref, spec }: Deployment,
): Promise<{ readonly runtime: RuntimeKind | null; readonly isObserveOnly: boolean }> {
  const service = serviceRef(ref);
  if (service === null) return { runtime: spec?.runtime ?? null, isObserveOnly: false };
  const key = { org, target: targetOf(service) };
  return store.read(async (tx) => {
    const { runtime, defaultNamespace } = readable(await tx.get('targets', key));
    // Only the agent of a cluster registers with a namespace.
    const known = runtime ?? (defaultNamespace == null ? null : 'kubernetes');
    return {
      runtime: spec?.runtime ?? known,
      isObserveOnly: readable(await tx.get('agents', key)).observeOnly ?? false,
    };
  });
}

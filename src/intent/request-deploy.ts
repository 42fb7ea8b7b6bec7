import type { Caller } from '../access/caller.ts';
import { serviceRef, targetOf } from '../contract/names.ts';
import { type Answer, problem } from '../contract/problem.ts';
import type { RuntimeKind } from '../contract/vocabulary.ts';
import type { Host } from '../evidence/door/host.ts';
import { readable } from '../store/broken-row.ts';
import type { Acted, RequestKey } from './acted.ts';
import { type Deployment, deploy } from './deploy.ts';

/**
 * Deploys as a front door requests it: a source is refused where Kubernetes would run it. The target is read before the
 * transaction: one that is declared anew meanwhile is judged as it was.
 */
export async function requestDeploy(
  host: Host,
  caller: Caller,
  deployment: Deployment,
  key: RequestKey | null = null,
): Promise<Answer<Acted>> {
  const isSource = deployment.origin?.kind === 'source';
  if (isSource && (await runtimeOf(host, caller.org, deployment)) === 'kubernetes')
    return problem(
      'image_required',
      'Kubernetes runs images: build one in your CI and deploy it by its digest.',
    );
  return deploy(host, caller, deployment, key);
}

/** The runtime that the spec names, or else the one that the target was declared with. */
async function runtimeOf(
  { store }: Host,
  org: string,
  { service: ref, spec }: Deployment,
): Promise<RuntimeKind | null> {
  if (spec?.runtime !== undefined) return spec.runtime;
  const service = serviceRef(ref);
  if (service === null) return null;
  const row = await store.read((tx) => tx.get('targets', { org, target: targetOf(service) }));
  return readable(row).runtime ?? null;
}

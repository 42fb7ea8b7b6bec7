import { fieldsAt, flagAt, type ObjectFields, own } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';

/** Flux follows the common conditions. Before its first look it writes the observed generation -1, and no condition. */
function judgeFlux(object: ObjectFields): Ruling | null {
  if (flagAt(object, 'spec.suspend')) return ruling('suspended', 'paused', 'spec.suspend is true');
  return own(fieldsAt(object, 'status'), 'observedGeneration') === -1
    ? ruling('progressing', 'not_observed', 'status.observedGeneration is -1')
    : null;
}

const KINDS: Readonly<Record<string, readonly string[]>> = {
  helm: ['HelmRelease'],
  image: ['ImagePolicy', 'ImageRepository', 'ImageUpdateAutomation'],
  kustomize: ['Kustomization'],
  notification: ['Alert', 'Provider', 'Receiver'],
  source: ['Bucket', 'ExternalArtifact', 'GitRepository', 'HelmChart', 'HelmRepository', 'OCIRepository'],
};

export const FLUX: readonly CustomFamily[] = Object.entries(KINDS).map(([name, kinds]) => ({
  group: `${name}.toolkit.fluxcd.io`,
  kinds,
  judge: judgeFlux,
}));

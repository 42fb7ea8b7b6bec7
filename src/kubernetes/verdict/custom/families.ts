import { ARGO_CD } from './argo-cd.ts';
import { ARGO_ROLLOUTS } from './argo-rollouts.ts';
import { ARGO_WORKFLOWS } from './argo-workflows.ts';
import { CERT_MANAGER } from './cert-manager.ts';
import { CLOUD_NATIVE_PG } from './cloud-native-pg.ts';
import { CLUSTER_API } from './cluster-api.ts';
import { CROSSPLANE } from './crossplane.ts';
import { DATABASES } from './databases.ts';
import { DELIVERY } from './delivery.ts';
import { EXTERNAL_SECRETS } from './external-secrets.ts';
import type { CustomFamily } from './family.ts';
import { FLUX } from './flux.ts';
import { ISTIO } from './istio.ts';
import { KEDA } from './keda.ts';
import { KNATIVE } from './knative.ts';
import { OPEN_KRUISE } from './open-kruise.ts';
import { PLATFORMS } from './platforms.ts';
import { PROMETHEUS } from './prometheus.ts';
import { SEALED_SECRETS } from './sealed-secrets.ts';
import { SNAPSHOTS } from './snapshots.ts';
import { STRIMZI } from './strimzi.ts';

/** Every family, one file each. To add one: a file that exports its entries, and its line here. */
export const FAMILIES: readonly CustomFamily[] = [
  ...ARGO_CD,
  ...ARGO_ROLLOUTS,
  ...ARGO_WORKFLOWS,
  ...CERT_MANAGER,
  ...CLOUD_NATIVE_PG,
  ...CLUSTER_API,
  ...CROSSPLANE,
  ...EXTERNAL_SECRETS,
  ...FLUX,
  ...ISTIO,
  ...KEDA,
  ...KNATIVE,
  ...OPEN_KRUISE,
  ...PROMETHEUS,
  ...DATABASES,
  ...DELIVERY,
  ...PLATFORMS,
  ...SNAPSHOTS,
  ...SEALED_SECRETS,
  ...STRIMZI,
];

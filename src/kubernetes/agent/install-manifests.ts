/** The settings of an agent inside the cluster. */
export interface InstallOptions {
  readonly target: string;
  readonly server: string;
  readonly image: string;
  /** None: the whole cluster. */
  readonly namespaces: readonly string[];
  /** The namespace that the agent itself runs in. */
  readonly home: string;
  readonly defaultNamespace: string | null;
  /** It deploys services in its default namespace, and needs to write there. */
  readonly deploys?: boolean;
}

const READ = ['get', 'list', 'watch'];
const NAME = 'evident-agent';

/** Everything that is watched. Secrets and ConfigMaps are not among it. */
const WORKLOAD_RULES = [
  {
    apiGroups: [''],
    resources: ['pods', 'services', 'persistentvolumeclaims', 'events'],
    verbs: READ,
  },
  {
    apiGroups: ['apps'],
    resources: ['deployments', 'replicasets', 'statefulsets', 'daemonsets', 'controllerrevisions'],
    verbs: READ,
  },
  { apiGroups: ['batch'], resources: ['jobs', 'cronjobs'], verbs: READ },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READ },
  // Optional: the commit that Argo CD or Flux applied is in their own objects.
  { apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['list'] },
  { apiGroups: ['kustomize.toolkit.fluxcd.io'], resources: ['kustomizations'], verbs: ['list'] },
];

/** Tells clusters apart. A name of a namespace is in that namespace, so that a Role there is enough. */
const IDENTITY_RULE = {
  apiGroups: [''],
  resources: ['namespaces'],
  resourceNames: ['kube-system'],
  verbs: ['get'],
};
/** Tells a namespace that somebody deleted: in a Role it is about that namespace alone. */
const OWN_RULE = { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] };
/**
 * Everything that is applied, in one namespace. A Secret is written and never read, so that no `get` is among its verbs; a
 * patch of one that is there answers it all the same, with what we wrote.
 */
const DEPLOY_RULES = [
  { apiGroups: [''], resources: ['pods/log', 'pods/proxy'], verbs: ['get'] },
  { apiGroups: ['apps'], resources: ['deployments'], verbs: ['create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['services'], verbs: ['create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'patch', 'delete'] },
];

/** Tells silent nodes. */
const LEASE_RULE = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: READ };

/**
 * The manifests of an agent inside the cluster, with the least that it needs: it reads, and writes nothing but where it
 * deploys. With namespaces it gets a Role in each, two small ones beside them, and nothing that is of the whole cluster.
 */
export function installManifests(options: InstallOptions): readonly object[] {
  const { namespaces, home, deploys = false, defaultNamespace } = options;
  const account = { kind: 'ServiceAccount', name: NAME, namespace: home };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: home } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace: home } },
    ...(namespaces.length === 0
      ? clusterRole(account)
      : role(`${NAME}-identity`, 'kube-system', [IDENTITY_RULE], account)),
    ...role(`${NAME}-leases`, 'kube-node-lease', [LEASE_RULE], account),
    ...namespaces.flatMap((namespace) => role(NAME, namespace, [...WORKLOAD_RULES, OWN_RULE], account)),
    ...(deploys ? role(`${NAME}-deploy`, defaultNamespace ?? 'default', DEPLOY_RULES, account) : []),
    deployment(options),
  ];
}

type Subject = { readonly kind: string; readonly name: string; readonly namespace: string };

/** Nodes and the name of the cluster are of no namespace. */
function clusterRole(subject: Subject): readonly object[] {
  const rules = [
    { apiGroups: [''], resources: ['nodes'], verbs: READ },
    // In a ClusterRole about all: kube-system tells clusters apart, and one that does not exist from one that is empty.
    OWN_RULE,
    ...WORKLOAD_RULES,
  ];
  const metadata = { name: NAME };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME };
  return [
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef,
      subjects: [subject],
    },
  ];
}

function role(
  name: string,
  namespace: string,
  rules: readonly object[],
  subject: Subject,
): readonly object[] {
  const metadata = { name, namespace };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  return [
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef,
      subjects: [subject],
    },
  ];
}

/** Two agents would fence each other: the old one ends before the new one begins. */
function deployment(options: InstallOptions): object {
  const { target, server, image, namespaces, home, defaultNamespace, deploys = false } = options;
  const labels = { 'app.kubernetes.io/name': NAME };
  const args = [
    'agent',
    '--runtime=kubernetes',
    `--target=${target}`,
    '--data=/data',
    ...namespaces.map((namespace) => `--namespace=${namespace}`),
    ...(defaultNamespace === null ? [] : [`--default-namespace=${defaultNamespace}`]),
    ...(deploys ? ['--deploy'] : []),
  ];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: NAME, namespace: home, labels },
    spec: {
      replicas: 1,
      // It has no port to be asked at: one that ends at once must not count as available.
      minReadySeconds: 10,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: NAME,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 10001,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: 'agent',
              image,
              args,
              // Both in the environment: a token is sent only to the server that the same place names (F126).
              env: [
                { name: 'EVIDENT_SERVER', value: server },
                {
                  name: 'EVIDENT_TOKEN',
                  valueFrom: { secretKeyRef: { name: `${NAME}-token`, key: 'token' } },
                },
              ],
              securityContext: {
                readOnlyRootFilesystem: true,
                allowPrivilegeEscalation: false,
                capabilities: { drop: ['ALL'] },
              },
              resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
              volumeMounts: [{ name: 'data', mountPath: '/data' }],
            },
          ],
          volumes: [{ name: 'data', emptyDir: {} }],
        },
      },
    },
  };
}

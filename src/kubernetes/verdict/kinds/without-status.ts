/** Built-in kinds that no controller reports on: they hold as soon as they are stored. */
const WITHOUT_STATUS: Readonly<Record<string, readonly string[]>> = {
  '': ['Binding', 'ConfigMap', 'Endpoints', 'LimitRange', 'PodTemplate', 'Secret', 'ServiceAccount'],
  'admissionregistration.k8s.io': [
    'MutatingAdmissionPolicy',
    'MutatingAdmissionPolicyBinding',
    'MutatingWebhookConfiguration',
    'ValidatingAdmissionPolicyBinding',
    'ValidatingWebhookConfiguration',
  ],
  apps: ['ControllerRevision'],
  'certificates.k8s.io': ['ClusterTrustBundle'],
  'coordination.k8s.io': ['Lease', 'LeaseCandidate'],
  'discovery.k8s.io': ['EndpointSlice'],
  'flowcontrol.apiserver.k8s.io': ['PriorityLevelConfiguration'],
  'gateway.networking.k8s.io': ['ReferenceGrant'],
  'metrics.k8s.io': ['NodeMetrics', 'PodMetrics'],
  'networking.k8s.io': ['IngressClass', 'IPAddress', 'NetworkPolicy'],
  'node.k8s.io': ['RuntimeClass'],
  policy: ['PodSecurityPolicy'],
  'rbac.authorization.k8s.io': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'resource.k8s.io': ['DeviceClass', 'ResourceClaimTemplate', 'ResourceSlice'],
  'scheduling.k8s.io': ['PriorityClass'],
  'storage.k8s.io': ['CSIDriver', 'CSINode', 'CSIStorageCapacity', 'StorageClass', 'VolumeAttributesClass'],
};

const KEYS: ReadonlySet<string> = new Set(
  Object.entries(WITHOUT_STATUS).flatMap(([group, kinds]) => kinds.map((kind) => `${group}/${kind}`)),
);

export function hasNoStatus(groupAndKind: string): boolean {
  return KEYS.has(groupAndKind);
}

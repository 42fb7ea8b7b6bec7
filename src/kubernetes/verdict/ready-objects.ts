/**
 * One ready object of each kind, with the fields that a cluster writes. Tests change them a field at a time, and the
 * benchmark judges many of them.
 */
const at = '2026-11-17T11:00:00Z';

const object = (
  apiVersion: string,
  kind: string,
  {
    spec,
    status,
    metadata,
  }: { readonly spec?: object; readonly status?: object; readonly metadata?: object },
) => ({
  apiVersion,
  kind,
  metadata: {
    name: kind.toLowerCase(),
    namespace: 'shop',
    uid: `uid-${kind.toLowerCase()}`,
    creationTimestamp: at,
    generation: 2,
    ...metadata,
  },
  ...(spec === undefined ? {} : { spec }),
  ...(status === undefined ? {} : { status }),
});

const yes = (type: string, reason = 'AsItShouldBe') => ({
  type,
  status: 'True',
  reason,
  lastTransitionTime: at,
});
const no = (type: string, reason = 'AsItShouldBe') => ({
  type,
  status: 'False',
  reason,
  lastTransitionTime: at,
});

export const READY_OBJECTS = {
  Deployment: object('apps/v1', 'Deployment', {
    spec: { replicas: 2, progressDeadlineSeconds: 600 },
    status: {
      observedGeneration: 2,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      conditions: [
        yes('Available', 'MinimumReplicasAvailable'),
        yes('Progressing', 'NewReplicaSetAvailable'),
      ],
    },
  }),
  StatefulSet: object('apps/v1', 'StatefulSet', {
    spec: { replicas: 2, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } },
    status: {
      observedGeneration: 2,
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 2,
      currentRevision: 'db-1',
      updateRevision: 'db-1',
    },
  }),
  DaemonSet: object('apps/v1', 'DaemonSet', {
    spec: { updateStrategy: { type: 'RollingUpdate' } },
    status: {
      observedGeneration: 2,
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      updatedNumberScheduled: 3,
      numberReady: 3,
      numberAvailable: 3,
      numberMisscheduled: 0,
    },
  }),
  ReplicaSet: object('apps/v1', 'ReplicaSet', {
    spec: { replicas: 2 },
    status: {
      observedGeneration: 2,
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      fullyLabeledReplicas: 2,
    },
  }),
  Pod: object('v1', 'Pod', {
    spec: { restartPolicy: 'Always', nodeName: 'node', containers: [{ name: 'web', image: 'web:1' }] },
    status: {
      phase: 'Running',
      hostIP: '10.0.0.1',
      conditions: [yes('PodScheduled'), yes('Initialized'), yes('ContainersReady'), yes('Ready')],
      containerStatuses: [
        { name: 'web', ready: true, started: true, restartCount: 0, state: { running: { startedAt: at } } },
      ],
    },
  }),
  Job: object('batch/v1', 'Job', {
    spec: { completions: 1, parallelism: 1, suspend: false },
    status: {
      startTime: at,
      completionTime: at,
      succeeded: 1,
      conditions: [yes('Complete', 'CompletionsReached')],
    },
  }),
  CronJob: object('batch/v1', 'CronJob', {
    spec: { schedule: '*/5 * * * *', suspend: false },
    status: { lastScheduleTime: at, lastSuccessfulTime: '2026-11-17T11:00:09Z' },
  }),
  PersistentVolumeClaim: object('v1', 'PersistentVolumeClaim', {
    spec: { volumeName: 'pv-1' },
    status: { phase: 'Bound', capacity: { storage: '1Gi' } },
  }),
  Service: object('v1', 'Service', {
    spec: { type: 'LoadBalancer', clusterIP: '10.1.0.1', selector: { app: 'web' } },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
  }),
  Ingress: object('networking.k8s.io/v1', 'Ingress', {
    spec: { rules: [] },
    status: { loadBalancer: { ingress: [{ hostname: 'lb.example' }] } },
  }),
  HTTPRoute: object('gateway.networking.k8s.io/v1', 'HTTPRoute', {
    spec: { parentRefs: [{ name: 'edge' }] },
    status: {
      parents: [
        {
          parentRef: { name: 'edge' },
          conditions: [
            { ...yes('Accepted'), observedGeneration: 2 },
            { ...yes('ResolvedRefs'), observedGeneration: 2 },
          ],
        },
      ],
    },
  }),
  Gateway: object('gateway.networking.k8s.io/v1', 'Gateway', {
    spec: { gatewayClassName: 'any', listeners: [{ name: 'http' }] },
    status: {
      conditions: [
        { ...yes('Accepted'), observedGeneration: 2 },
        { ...yes('Programmed'), observedGeneration: 2 },
      ],
      listeners: [{ name: 'http', conditions: [yes('Accepted'), yes('Programmed'), yes('ResolvedRefs')] }],
    },
  }),
  HorizontalPodAutoscaler: object('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: { minReplicas: 1, maxReplicas: 5 },
    status: {
      currentReplicas: 2,
      desiredReplicas: 2,
      conditions: [yes('AbleToScale'), yes('ScalingActive', 'ValidMetricFound'), no('ScalingLimited')],
    },
  }),
  PodDisruptionBudget: object('policy/v1', 'PodDisruptionBudget', {
    spec: { minAvailable: 1 },
    status: {
      observedGeneration: 2,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
      disruptionsAllowed: 1,
      conditions: [yes('DisruptionAllowed', 'SufficientPods')],
    },
  }),
  CustomResourceDefinition: object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    spec: { group: 'example.com' },
    status: { conditions: [yes('NamesAccepted', 'NoConflicts'), yes('Established', 'InitialNamesAccepted')] },
  }),
  APIService: object('apiregistration.k8s.io/v1', 'APIService', {
    spec: { group: 'metrics.k8s.io' },
    status: { conditions: [yes('Available', 'Passed')] },
  }),
  Namespace: object('v1', 'Namespace', { spec: {}, status: { phase: 'Active' } }),
  Node: object('v1', 'Node', {
    metadata: { name: 'node', namespace: null },
    spec: {},
    status: {
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      conditions: [no('MemoryPressure'), no('DiskPressure'), no('PIDPressure'), yes('Ready', 'KubeletReady')],
    },
  }),
  CustomResource: object('example.com/v1', 'CustomResource', {
    spec: {},
    status: { observedGeneration: 2, conditions: [yes('Ready'), no('Stalled'), no('Reconciling')] },
  }),
} as const;

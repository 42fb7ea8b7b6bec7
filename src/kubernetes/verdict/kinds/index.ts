import { type ObjectIdentity, objectIdentity } from '../identity.ts';
import { ready } from '../verdict.ts';
import { judgeApiService, judgeDefinition } from './api-extensions.ts';
import { judgeAutoscaler } from './autoscaler.ts';
import { judgeCronJob } from './cron-job.ts';
import { judgeDaemonSet } from './daemon-set.ts';
import { judgeDeployment } from './deployment.ts';
import { judgeDisruptionBudget } from './disruption-budget.ts';
import { judgeGateway, judgeGatewayClass, judgeGatewayPolicy, judgeRoute } from './gateway.ts';
import { judgeJob } from './job.ts';
import type { KindLadder } from './ladder-context.ts';
import { judgeNode } from './node.ts';
import { judgePod } from './pod.ts';
import { judgeReplicaSet } from './replica-set.ts';
import { judgeComponent, judgeEvent } from './reports.ts';
import { judgeIngress, judgeService } from './service.ts';
import {
  judgeAdmissionPolicy,
  judgeFlowSchema,
  judgeNamespace,
  judgeResourceClaim,
  judgeResourceQuota,
  judgeSigningRequest,
} from './small-kinds.ts';
import { judgeStatefulSet } from './stateful-set.ts';
import { judgeClaim, judgeVolume, judgeVolumeAttachment } from './volumes.ts';
import { hasNoStatus } from './without-status.ts';

/** Ladders by group and kind. The version does not matter: fields kept their names over versions. */
const LADDERS: ReadonlyMap<string, KindLadder> = new Map([
  ['/ComponentStatus', judgeComponent],
  ['/Event', judgeEvent],
  ['/Namespace', judgeNamespace],
  ['/Node', judgeNode],
  ['/PersistentVolume', judgeVolume],
  ['/PersistentVolumeClaim', judgeClaim],
  ['/Pod', judgePod],
  ['/ReplicationController', judgeReplicaSet],
  ['/ResourceQuota', judgeResourceQuota],
  ['/Service', judgeService],
  ['admissionregistration.k8s.io/ValidatingAdmissionPolicy', judgeAdmissionPolicy],
  ['apiextensions.k8s.io/CustomResourceDefinition', judgeDefinition],
  ['apiregistration.k8s.io/APIService', judgeApiService],
  ['apps/DaemonSet', judgeDaemonSet],
  ['apps/Deployment', judgeDeployment],
  ['apps/ReplicaSet', judgeReplicaSet],
  ['apps/StatefulSet', judgeStatefulSet],
  ['autoscaling/HorizontalPodAutoscaler', judgeAutoscaler],
  ['batch/CronJob', judgeCronJob],
  ['batch/Job', judgeJob],
  ['certificates.k8s.io/CertificateSigningRequest', judgeSigningRequest],
  ['events.k8s.io/Event', judgeEvent],
  ['extensions/DaemonSet', judgeDaemonSet],
  ['extensions/Deployment', judgeDeployment],
  ['extensions/Ingress', judgeIngress],
  ['extensions/ReplicaSet', judgeReplicaSet],
  ['flowcontrol.apiserver.k8s.io/FlowSchema', judgeFlowSchema],
  ['gateway.networking.k8s.io/BackendTLSPolicy', judgeGatewayPolicy],
  ['gateway.networking.k8s.io/GRPCRoute', judgeRoute],
  ['gateway.networking.k8s.io/Gateway', judgeGateway],
  ['gateway.networking.k8s.io/GatewayClass', judgeGatewayClass],
  ['gateway.networking.k8s.io/HTTPRoute', judgeRoute],
  ['gateway.networking.k8s.io/ListenerSet', judgeGateway],
  ['gateway.networking.k8s.io/TCPRoute', judgeRoute],
  ['gateway.networking.k8s.io/TLSRoute', judgeRoute],
  ['gateway.networking.k8s.io/UDPRoute', judgeRoute],
  ['networking.k8s.io/Ingress', judgeIngress],
  ['policy/PodDisruptionBudget', judgeDisruptionBudget],
  ['resource.k8s.io/ResourceClaim', judgeResourceClaim],
  ['storage.k8s.io/VolumeAttachment', judgeVolumeAttachment],
]);

/** Null for a kind that is neither built in nor one of the Gateway API. */
export function ladderOf({ group, kind }: ObjectIdentity): KindLadder | null {
  const key = `${group}/${kind}`;
  return LADDERS.get(key) ?? (hasNoStatus(key) ? judgeStatusless : null);
}

/** True if a verdict on the object says more than that it is stored, or that something happened. */
export function saysMore(object: unknown): boolean {
  const identity = objectIdentity(object);
  if (identity === null) return false;
  const ladder = ladderOf(identity);
  return ladder !== judgeStatusless && ladder !== judgeEvent;
}

const judgeStatusless: KindLadder = (_, { identity }) =>
  ready(`${identity.kind} has no status: it is as it is written`, 'stored');

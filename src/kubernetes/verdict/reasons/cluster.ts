import { onceOnly, row } from './row.ts';

/** Reasons of volumes. */
export const VOLUME_REASONS = {
  volume_waits: row(
    'scheduling',
    'none',
    'The storage is made when something uses it.',
    'WaitForFirstConsumer: no pod uses the claim yet.',
  ),
  volume_provisioning_failed: row(
    'scheduling',
    'platform',
    'The storage cannot be made.',
    'ProvisioningFailed or FailedBinding.',
  ),
  storage_class_missing: row(
    'scheduling',
    'user',
    'The kind of storage that it asks for does not exist there.',
    'spec.storageClassName names no StorageClass.',
  ),
  volume_lost: onceOnly(
    'runtime',
    'platform',
    'The storage behind it is gone.',
    'phase Lost: the volume no longer exists.',
  ),
  volume_resizing: row(
    'apply',
    'platform',
    'The storage is being resized.',
    'Resizing or FileSystemResizePending.',
  ),
  volume_resize_failed: row(
    'apply',
    'platform',
    'The storage cannot be resized.',
    'A resize condition or event failed.',
  ),
  volume_changing: row(
    'apply',
    'platform',
    'The attributes of the storage are being changed.',
    'modifyVolumeStatus, or another volume attributes class than the one that is asked for.',
  ),
  volume_change_refused: row(
    'apply',
    'user',
    'The attributes of the storage cannot be changed as asked; it is used with the old ones.',
    'modifyVolumeStatus Infeasible.',
  ),
  volume_released: row(
    null,
    'platform',
    'Nothing uses the storage any more; its data is kept.',
    'phase Released.',
  ),
} as const;

/** Reasons of nodes. */
export const NODE_REASONS = {
  node_silent: row('runtime', 'platform', 'The machine does not answer.', 'Ready=Unknown, or unreachable.'),
  node_not_ready: row('runtime', 'platform', 'The machine is not ready.', 'Ready=False.'),
  node_pressure: row(
    'runtime',
    'platform',
    'The machine runs short of memory, disk or processes.',
    'MemoryPressure, DiskPressure or PIDPressure.',
  ),
  node_network: row(
    'runtime',
    'platform',
    'The network of the machine is not set up.',
    'NetworkUnavailable=True.',
  ),
  node_problem: row(
    'runtime',
    'platform',
    'The machine reports a problem.',
    'A further condition of the node is True.',
  ),
  cordoned: row(
    null,
    'platform',
    'The machine takes no new work, on purpose.',
    'spec.unschedulable is true.',
  ),
} as const;

/** Reasons of the ways that requests take. */
export const NETWORK_REASONS = {
  no_address: row(
    'route',
    'platform',
    'It has no address yet.',
    'No cluster address or load balancer is assigned.',
  ),
  load_balancer_failed: row(
    'route',
    'platform',
    'Its load balancer cannot be made.',
    'The cloud refuses or fails to create the load balancer.',
  ),
  no_endpoints: row('route', 'user', 'Nothing behind it is ready to answer.', 'No endpoint is ready.'),
  port_missing: row(
    'route',
    'user',
    'No copy behind it has the port that it sends requests to.',
    'No ready endpoint has a port of this name: the targetPort names none of its pods’ ports.',
  ),
  route_pending: row(
    'route',
    'platform',
    'The gateway has not taken it up yet.',
    'No parent has accepted or programmed it yet.',
  ),
  route_not_accepted: row('route', 'user', 'The gateway does not accept it.', 'Accepted=False.'),
  route_refs: row(
    'route',
    'user',
    'It refers to something that is not there or not allowed.',
    'ResolvedRefs=False.',
  ),
  route_part_invalid: row(
    'route',
    'user',
    'A part of it is not valid and does not count.',
    'PartiallyInvalid=True.',
  ),
  listener_conflict: row('route', 'user', 'Two listeners want the same.', 'Conflicted=True.'),
} as const;

/** Reasons of autoscalers, budgets and quotas. */
export const POLICY_REASONS = {
  metrics_missing: row(
    'runtime',
    'platform',
    'It cannot measure the load, so it does not scale.',
    'ScalingActive=False: metrics cannot be read.',
  ),
  cannot_scale: row(
    'runtime',
    'user',
    'It cannot change the number of copies.',
    'AbleToScale=False: the target or its scale cannot be read or changed.',
  ),
  scaling_limited: row(
    'runtime',
    'user',
    'It may not have as many copies as the load asks for.',
    'ScalingLimited=True.',
  ),
  scaling_disabled: row(
    null,
    'user',
    'It does not scale, because its target is scaled to zero.',
    'ScalingActive=False, ScalingDisabled.',
  ),
  budget_unmet: row(
    'runtime',
    'platform',
    'Fewer copies are healthy than the budget keeps, so none may be moved.',
    'currentHealthy is below desiredHealthy.',
  ),
  budget_sync_failed: row(
    'apply',
    'user',
    'The budget cannot be computed.',
    'DisruptionAllowed=False, SyncFailed.',
  ),
} as const;

/** Reasons of the API itself and of what it is extended by. */
export const API_REASONS = {
  names_refused: row('apply', 'user', 'Another definition has its name already.', 'NamesAccepted=False.'),
  not_established: row('apply', 'platform', 'The cluster does not serve it yet.', 'Established is not True.'),
  schema_invalid: row('apply', 'user', 'Its schema has mistakes.', 'NonStructuralSchema=True.'),
  api_unavailable: row(
    'runtime',
    'platform',
    'The part of the API that it adds does not answer.',
    'Available=False.',
  ),
  certificate_pending: row(
    'apply',
    'platform',
    'The certificate is not issued yet.',
    'No certificate, and no denial.',
  ),
  certificate_denied: row('apply', 'user', 'The certificate is denied.', 'Denied or Failed.'),
  certificate_expiring: row(
    'runtime',
    'platform',
    'The certificate ends soon and is not renewed yet.',
    'Its renewal time has passed.',
  ),
  certificate_expired: row('runtime', 'platform', 'The certificate has expired.', 'Its end has passed.'),
  deletion_blocked: row(
    'stop',
    'user',
    'It is being deleted, and something holds it back.',
    'A condition of the deletion says what is left, or finalizers hold it.',
  ),
  still_used: row(
    'stop',
    'user',
    'It is being deleted, and stays until nothing uses it.',
    'Its only finalizer protects it while a pod or a claim uses it.',
  ),
} as const;

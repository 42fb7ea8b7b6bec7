import { countAt, fieldsAt, flagAt, isThere, listAt, textAt } from '../verdict/fields.ts';
import { cutText, keeper, labelsIn, type RecordHead, type RecordOwner } from './head.ts';

export interface KubeServiceRecord extends RecordHead {
  readonly type: string;
  readonly isHeadless: boolean;
  readonly hasSelector: boolean;
  readonly publishesNotReady: boolean;
  readonly ports: readonly {
    readonly name: string | null;
    readonly port: number | null;
    readonly protocol: string;
  }[];
}

export const keepService: (object: unknown) => KubeServiceRecord | null = keeper((service) => ({
  type: textAt(service, 'spec.type') ?? 'ClusterIP',
  isHeadless: textAt(service, 'spec.clusterIP') === 'None',
  hasSelector: Object.keys(fieldsAt(service, 'spec.selector')).length > 0,
  publishesNotReady: flagAt(service, 'spec.publishNotReadyAddresses'),
  ports: listAt(service, 'spec.ports').map((port) => ({
    name: textAt(port, 'name'),
    port: countAt(port, 'port'),
    protocol: textAt(port, 'protocol') ?? 'TCP',
  })),
}));

/** Endpoints of a Service; a slice is written by the controller manager and is as stale as that is (rule 8). */
export interface EndpointSliceRecord extends RecordHead {
  readonly service: string | null;
  readonly ports: readonly number[];
  readonly endpoints: readonly {
    /** The pod behind it, by UID (rule 9); null for an address that is no pod's. */
    readonly pod: string | null;
    readonly ready: boolean;
    readonly serving: boolean;
    readonly terminating: boolean;
  }[];
}

export const keepEndpointSlice: (object: unknown) => EndpointSliceRecord | null = keeper((slice) => ({
  service: labelsIn(slice)['kubernetes.io/service-name'] ?? null,
  ports: listAt(slice, 'ports').flatMap((port) => countAt(port, 'port') ?? []),
  endpoints: listAt(slice, 'endpoints').map((endpoint) => {
    // Absent means ready in the API's own words; serving follows ready where it is absent.
    const ready = !isThere(endpoint, 'conditions.ready') || flagAt(endpoint, 'conditions.ready');
    return {
      pod: textAt(endpoint, 'targetRef.kind') === 'Pod' ? textAt(endpoint, 'targetRef.uid') : null,
      ready,
      serving: isThere(endpoint, 'conditions.serving') ? flagAt(endpoint, 'conditions.serving') : ready,
      terminating: flagAt(endpoint, 'conditions.terminating'),
    };
  }),
}));

export interface VolumeClaimRecord extends RecordHead {
  readonly phase: string | null;
  readonly storageClass: string | null;
  readonly volume: string | null;
}

export const keepVolumeClaim: (object: unknown) => VolumeClaimRecord | null = keeper((claim) => ({
  phase: textAt(claim, 'status.phase'),
  storageClass: textAt(claim, 'spec.storageClassName'),
  volume: textAt(claim, 'spec.volumeName'),
}));

/** A warning: an operator's fact that never makes a claim worse than what is newer (F72). */
export interface WarningRecord extends RecordHead {
  readonly about: RecordOwner | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly count: number;
  readonly lastAt: string | null;
}

export const keepWarning: (object: unknown) => WarningRecord | null = keeper((event) => {
  const [kind, name, uid] = ['kind', 'name', 'uid'].map((key) => textAt(event, `involvedObject.${key}`));
  return {
    about: kind && name && uid ? { kind, name, uid } : null,
    reason: textAt(event, 'reason'),
    message: cutText(textAt(event, 'message')),
    count: countAt(event, 'series.count') ?? countAt(event, 'count') ?? 1,
    lastAt:
      textAt(event, 'series.lastObservedTime') ??
      textAt(event, 'lastTimestamp') ??
      textAt(event, 'eventTime'),
  };
});

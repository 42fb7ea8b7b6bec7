import type { PodRecord } from '../cache/pod.ts';
import { type NodeLeases, nodeWord } from './node-leases.ts';
import { isStillRestored, type RestoredPods } from './restored-pods.ts';
import type { PodPlace } from './revision-of-pod.ts';

/** One copy of a workload: what is known of it, and on whose word. */
export interface PodInstance {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly node: string | null;
  readonly revision: PodPlace['revision'];
  readonly template: string | null;
  readonly standing: InstanceStanding;
  /** Somebody has requested its deletion: it may still be ready, and does not count (POD facts). */
  readonly isTerminating: boolean;
  /** Wall clock: it is ready, and counts only from then on, since its workload wants it to be ready for a while. */
  readonly countsFrom: number | null;
  readonly restarts: number;
  readonly startedAt: string | null;
  /** Digest by container, from what the node says it runs (rule 15). */
  readonly digests: Readonly<Record<string, string>>;
  readonly containers: readonly InstanceContainer[];
}

interface InstanceContainer {
  readonly name: string;
  readonly kind: 'main' | 'init' | 'sidecar' | 'ephemeral';
  readonly ready: boolean;
  readonly restarts: number;
  readonly reason: string | null;
  /** Ephemeral containers are shown and never judged (rule 14). */
  readonly isJudged: boolean;
}

export type InstanceStanding =
  /** On the word of its kubelet, whose node is alive. That is no proof that the app answers (rule 7). */
  | { readonly kind: 'known'; readonly ready: boolean; readonly by: 'kubelet'; readonly silentMs: number }
  /** No node has it, and the API server says so itself: it waits to be scheduled. */
  | { readonly kind: 'known'; readonly ready: false; readonly by: 'api'; readonly silentMs: 0 }
  | {
      readonly kind: 'unknown';
      readonly why: InstanceDoubt;
      readonly lastReady: boolean;
      /** It vanished, and nothing is heard of its node either. */
      readonly isNodeSilent?: boolean;
    };

type InstanceDoubt =
  /** Its node's lease is not renewed (rule 5). */
  | 'node_silent'
  /** Its node was silent, and is heard again only since a moment. */
  | 'node_back'
  /** Its node's lease was seen, and not renewed since: wait. */
  | 'node_not_heard'
  /** No lease of its node can be read. */
  | 'no_lease'
  /** Ready=False without a reason: the controller manager wrote it about a node that it does not hear (rule 5). */
  | 'not_by_kubelet'
  /** The cluster was restored, and its kubelet has not written since (rule 1). */
  | 'store_recovered'
  /** The API no longer has it, and its node has not been heard since (rule 6). */
  | 'vanished';

/** The sources of an instance's standing. */
interface StandingInputs {
  readonly leases: NodeLeases;
  readonly restored: RestoredPods;
  readonly now: number;
  /** The times of the cluster are of its own clocks. */
  readonly wallNow: number;
  readonly minReadySeconds: number;
}

export function instanceOf(
  pod: PodRecord,
  { revision, template }: Pick<PodPlace, 'revision' | 'template'>,
  { leases, restored, now, wallNow, minReadySeconds }: StandingInputs,
): PodInstance {
  const standing = standingOf(pod, leases, restored, now);
  const isReadyNow = standing.kind === 'known' && standing.ready;
  const countsFrom = isReadyNow ? readyLongEnoughAt(pod, minReadySeconds) : null;
  if (countsFrom === null || countsFrom <= wallNow)
    return instanceWith(pod, { revision, template }, standing);
  const waiting: InstanceStanding = { ...standing, kind: 'known', ready: false, by: 'kubelet', silentMs: 0 };
  return { ...instanceWith(pod, { revision, template }, waiting), countsFrom };
}

/** Null: it counts as soon as it is ready, or nobody says since when it is. */
function readyLongEnoughAt({ conditions }: PodRecord, minReadySeconds: number): number | null {
  if (minReadySeconds === 0) return null;
  const since = Date.parse(conditions.find(({ type }) => type === 'Ready')?.changedAt ?? '');
  return Number.isNaN(since) ? null : since + minReadySeconds * 1_000;
}

/** A pod that the API no longer has, and that nobody has proven gone. */
export function vanishedInstance(
  pod: PodRecord,
  place: Pick<PodPlace, 'revision' | 'template'>,
  isNodeSilent: boolean,
): PodInstance {
  return instanceWith(pod, place, {
    kind: 'unknown',
    why: 'vanished',
    lastReady: isReady(pod),
    isNodeSilent,
  });
}

function instanceWith(
  pod: PodRecord,
  { revision, template }: Pick<PodPlace, 'revision' | 'template'>,
  standing: InstanceStanding,
): PodInstance {
  const { uid, name, namespace, node } = pod;
  const judged = pod.containers.filter(({ kind }) => kind !== 'ephemeral');
  const main = pod.containers.find(({ kind, state }) => kind === 'main' && state.kind === 'running')?.state;
  return {
    uid,
    name,
    namespace,
    node,
    revision,
    template,
    standing,
    isTerminating: pod.deletingSince !== null,
    countsFrom: null,
    restarts: judged.reduce((sum, { restarts }) => sum + restarts, 0),
    startedAt: main?.kind === 'running' ? main.startedAt : null,
    digests: Object.fromEntries(
      judged.flatMap((container) => {
        const digest = digestIn(container.imageId);
        return digest === null ? [] : [[container.name, digest]];
      }),
    ),
    containers: pod.containers.map(({ name, kind, ready, restarts, state }) => ({
      name,
      kind,
      ready,
      restarts,
      reason: state.kind === 'waiting' || state.kind === 'terminated' ? state.reason : null,
      isJudged: kind !== 'ephemeral',
    })),
  };
}

function standingOf(
  pod: PodRecord,
  leases: NodeLeases,
  restored: RestoredPods,
  now: number,
): InstanceStanding {
  const doubt = (why: InstanceDoubt): InstanceStanding => ({ kind: 'unknown', why, lastReady: isReady(pod) });
  if (isStillRestored(restored, pod)) return doubt('store_recovered');
  if (pod.node === null) return { kind: 'known', ready: false, by: 'api', silentMs: 0 };
  const word = nodeWord(leases, pod.node, now);
  switch (word.kind) {
    case 'silent':
      return doubt('node_silent');
    case 'back':
      return doubt('node_back');
    case 'not_yet':
      return doubt('node_not_heard');
    case 'none':
      return doubt('no_lease');
    case 'alive': {
      const ready = pod.conditions.find(({ type }) => type === 'Ready');
      if (ready?.status !== 'True' && ready !== undefined && ready.reason === null)
        return doubt('not_by_kubelet');
      return { kind: 'known', ready: isReady(pod), by: 'kubelet', silentMs: word.silentMs };
    }
  }
}

/** The kubelet's condition, and every container that must run: a native sidecar is one of them. */
function isReady({ phase, conditions, containers }: PodRecord): boolean {
  if (phase !== 'Running') return false;
  if (conditions.find(({ type }) => type === 'Ready')?.status !== 'True') return false;
  return containers.every(({ kind, ready }) => (kind === 'main' || kind === 'sidecar' ? ready : true));
}

/** `registry/app@sha256:…`, `docker-pullable://…@sha256:…` or `sha256:…`: the digest; null where there is none. */
export function digestIn(imageId: string | null): string | null {
  return /(?:^|@|\/\/)(sha(?:256|512):[0-9a-f]{32,128})$/.exec(imageId ?? '')?.[1] ?? null;
}

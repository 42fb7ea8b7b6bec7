import type { InstanceView, RevisionView, ServiceView } from '../answers/views.ts';
import { ago } from './times.ts';

/** The workload of a service in observe mode, as the API shows it. */
export type WorkloadView = NonNullable<ServiceView['workload']>;
type ProvenanceView = NonNullable<RevisionView['provenance']>;

/** Puts what a workload declares beside what is observed of it, in a few words each, for two columns or two lines. */
export interface DeclaredBesideObserved {
  readonly what: string;
  readonly declared: string;
  readonly observed: string;
  /** True if the observed value is the declared one; null: the two cannot be compared. */
  readonly agrees: boolean | null;
}

export function besideEachOther(workload: WorkloadView, desired: number): DeclaredBesideObserved[] {
  const { declared, observed } = workload;
  // One is a name, the other is what that name led to.
  const image = { what: 'Image', declared: imagesOf(declared.images), agrees: null };
  const { replicas } = declared;
  const kept = observed.heldBack ?? { pods: 0, ready: 0 };
  const pods = observed.pods + kept.pods;
  const others = observed.otherPods - kept.pods;
  if (workload.kind === 'CronJob') return [{ ...image, observed: 'its pods end with each run' }];
  return [
    {
      ...{ what: 'Copies', declared: copiesOf(replicas), observed: podsOf(workload) },
      agrees:
        replicas === null || observed.unknown > 0
          ? null
          : pods === replicas && observed.ready + kept.ready === replicas,
    },
    { ...image, observed: digestsOf(observed.digests) },
    {
      what: 'Revision',
      declared:
        declared.template === null ? 'its controller has not looked yet' : `template ${declared.template}`,
      observed:
        observed.pods === 0 ? `no pod of r${desired}` : `r${desired} in ${many(observed.pods, 'pod')}`,
      agrees: declared.template === null || replicas === 0 ? null : observed.pods > 0 && others <= 0,
    },
  ];
}

const copiesOf = (replicas: number | null) =>
  replicas === null ? 'not said yet' : many(replicas, 'copy', 'copies');

function podsOf({ observed: { pods, ready, unknown, otherPods, heldBack } }: WorkloadView): string {
  const kept = heldBack ?? { pods: 0, ready: 0 };
  const others = otherPods - kept.pods;
  const words = [
    `${ready + kept.ready} of ${many(pods + kept.pods, 'pod')} ready`,
    ...(unknown === 0 ? [] : [`${unknown} not known`]),
    ...(kept.pods === 0 ? [] : [`${kept.pods} kept at an older template on purpose`]),
    ...(others <= 0 ? [] : [`${others} of other revisions`]),
  ];
  return words.join(', ');
}

/** One image by its name alone; several with their containers. */
export function imagesOf(images: ProvenanceView['images']): string {
  if (images.length === 0) return 'none named';
  if (images.length === 1) return images[0]?.image ?? '';
  return images.map(({ container, image }) => `${container}: ${image}`).join(', ');
}

const digestsOf = (digests: readonly string[]) =>
  digests.length === 0 ? 'no digest named' : digests.map(shortDigest).join(', ');

const shortDigest = (digest: string) => digest.replace(/^(sha\d+:[0-9a-f]{12})[0-9a-f]+$/, '$1…');

const many = (n: number, one: string, more = `${one}s`) => `${n} ${n === 1 ? one : more}`;

/** The object and the tool behind it: `Deployment shop/web, managed by Argo CD (shop)`. */
export function workloadSentence({ kind, namespace, name, managedBy, ...from }: WorkloadView): string {
  const by = managedBy === null ? '' : `, managed by ${managedBy}`;
  return [`${kind} ${namespace}/${name}${by}`, ...leftBy({ managedBy, ...from })].join('; ');
}

/** Release, commit and writer, as far as they say more than the tool's own name. */
export function leftBy({
  managedBy,
  fieldManager,
  release,
  commit,
}: Omit<ProvenanceView, 'images'>): string[] {
  return [
    ...(release === null ? [] : [`release ${release}`]),
    ...(commit === null ? [] : [`commit ${shortCommit(commit)}`]),
    ...(fieldManager === null || fieldManager === managedBy ? [] : [`written by ${fieldManager}`]),
  ];
}

/** Lists what the object in the cluster declares, by name and value; of a past revision only what was recorded then. */
export function declaredThere(
  { kind, namespace, name, images, declared }: WorkloadView,
  isPast = false,
): readonly (readonly [string, string])[] {
  return [
    ['Object', `${kind} ${namespace}/${name}`],
    ...images.map(
      ({ container, image }) => [images.length === 1 ? 'Image' : `Image of ${container}`, image] as const,
    ),
    ...(isPast || kind === 'CronJob' ? [] : [['Copies', copiesOf(declared.replicas)] as const]),
    ...(isPast || declared.template === null ? [] : [['Template', declared.template] as const]),
  ];
}

/** A commit of git by its first characters; what is none, such as `main@sha1:…`, keeps its branch. */
export const shortCommit = (commit: string) =>
  commit.replace(/\b([0-9a-f]{7})[0-9a-f]{5,57}\b/, '$1').replace(/sha1:/, '');

/** On whose word an instance is called ready; null where it is not said. Its node is named to those who may know it. */
export function witness({
  saidBy,
  probed,
  node,
}: Pick<InstanceView, 'saidBy' | 'probed' | 'node'>): string | null {
  const at = node == null ? 'its node' : `node ${node}`;
  switch (saidBy) {
    case 'kubelet':
      return `kubelet of ${at}${probed ? BY_PROBE : ''}`;
    case 'endpoint':
      return 'endpoint';
    case 'request':
      return 'direct request';
    case 'api':
      return 'API server';
    default:
      return null;
  }
}

/** Each witness once. One that speaks of some by a probe and of others without one is said to speak without. */
export function witnesses(
  instances: readonly Pick<InstanceView, 'saidBy' | 'probed' | 'node'>[],
): readonly string[] {
  const words = new Set(instances.flatMap((one) => witness(one) ?? []));
  return [...words].filter((one) => {
    const bare = one.replace(BY_PROBE, '');
    return bare === one || !words.has(bare);
  });
}

const BY_PROBE = ', by its probe';

/**
 * On whose word an instance that an agent started itself is shown: that agent looks at its process, and asks it before it
 * calls it ready, where it is to answer at a port.
 */
export const processWitness = ({ ready }: Pick<InstanceView, 'ready'>, isAsked: boolean): string =>
  ready && isAsked ? 'process, direct request' : 'process';

/** The reasons for which pods are not ready, each once: `2 pods: node lost (its node is silent)`. */
export function podReasons(
  instances: readonly Pick<InstanceView, 'reason' | 'message' | 'ready'>[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const { reason, message, ready } of instances) {
    if (ready || reason == null) continue;
    const words = `${reason.replaceAll('_', ' ')}${message == null ? '' : ` (${message})`}`;
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return [...counts].map(([words, n]) => `${many(n, 'pod')}: ${words}`);
}

/** An event of the cluster in one line. */
export function warningSentence(
  { about, reason, message, at, objects }: NonNullable<WorkloadView['warnings']>[number],
  now: number,
): string {
  const when = at == null ? '' : `, ${ago(now - Date.parse(at))}`;
  const more = objects == null ? '' : ` and ${objects - 1} more`;
  return `${about}${more}: ${reason}${when}${message == null || message === '' ? '' : `: ${message}`}`;
}

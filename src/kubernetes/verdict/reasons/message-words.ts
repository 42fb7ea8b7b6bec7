import type { ReasonName } from './index.ts';

/**
 * Messages that say more than their word does: one word, `ErrImagePull`, stands for an image that does not exist, that
 * may not be pulled, and for a registry that is silent. The first that matches decides. Only whole phrases of
 * Kubernetes, container runtimes and registries stand here: a message never proves that something is ready.
 */
const PHRASES: readonly (readonly [RegExp, ReasonName])[] = [
  [/exceeded quota|insufficient quota/i, 'quota_exceeded'],
  [/container has runAsNonRoot and /i, 'start_failed'],
  [
    /admission webhook .{0,200}denied|violates PodSecurity|ValidatingAdmissionPolicy .{0,200}denied|is forbidden: unable to validate against any/i,
    'admission_denied',
  ],
  [
    /manifest unknown|manifest for .{0,300} not found|failed to resolve reference .{0,300}: not found|repository .{0,300} not found|NAME_UNKNOWN|MANIFEST_UNKNOWN/i,
    'image_not_found',
  ],
  [
    /unauthorized|authentication required|pull access denied|insufficient_scope|403 Forbidden|401 Unauthorized|no basic auth credentials/i,
    'image_denied',
  ],
  [
    /no such host|i\/o timeout|connection refused|TLS handshake timeout|x509: |toomanyrequests|503 Service Unavailable|server misbehaving/i,
    'image_unreachable',
  ],
  [/(?:secret|configmap|config map) .{0,300}not found|couldn't find key/i, 'config_missing'],
  [/storageclass\.storage\.k8s\.io .{0,300}not found/i, 'storage_class_missing'],
  [
    /persistentvolumeclaim .{0,300}not found|unbound immediate PersistentVolumeClaims|volume node affinity conflict/i,
    'volume_pending',
  ],
  [
    /Insufficient (?:cpu|memory|ephemeral-storage|pods|nvidia\.com|[a-z0-9.-]+\/)|Too many pods/i,
    'insufficient_resources',
  ],
  // Said of a node that lacks the labels: last, so that what is said of room or storage decides.
  [/didn't match Pod's node affinity\/selector/i, 'no_matching_node'],
  [/Liveness probe failed/i, 'liveness_failed'],
  [/Startup probe failed/i, 'startup_failed'],
  [/Readiness probe failed/i, 'probe_failed'],
];

/** The reasons that a message about an image may have; others in it are a coincidence. */
const IMAGE_REASONS: ReadonlySet<ReasonName> = new Set([
  'image_not_found',
  'image_denied',
  'image_unreachable',
]);

export function reasonOfMessage(message: string | null): ReasonName | null {
  const found = matching(message).find((reason) => !IMAGE_REASONS.has(reason));
  return found ?? null;
}

/** The reason in a message about pulling an image. */
export function reasonOfPull(message: string | null): ReasonName | null {
  return matching(message).find((reason) => IMAGE_REASONS.has(reason)) ?? null;
}

function matching(message: string | null): ReasonName[] {
  if (message === null) return [];
  const text = message.slice(0, 4000);
  return PHRASES.filter(([phrase]) => phrase.test(text)).map(([, reason]) => reason);
}

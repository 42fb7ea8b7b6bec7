import { createHash } from 'node:crypto';
import { commandWords } from '../../contract/command-line.ts';
import type { Spec } from '../../contract/intent.ts';
import { nameOf } from '../../contract/names.ts';
import type { ApplyOrder } from '../../runtime/port.ts';
import type { FencedStamp } from '../../runtime/stamp.ts';
import { FIELD_MANAGER, marksOf, ROLLOUT, stampMark } from './marks.ts';

/** The kinds that are applied. */
export type AppliedKind = 'ConfigMap' | 'Secret' | 'Service' | 'Deployment';

/** An object as it is applied: only the fields that Evident wants to own. */
export interface AppliedObject {
  readonly apiVersion: string;
  readonly kind: AppliedKind;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** The pods of a service are found by it; whose they are is proven by their controllers alone. */
const POD_LABEL = 'evident.dev/name';
/** Any number but 0 passes the level `restricted`; images that name a user of their own are run as this one too. */
const USER = 10_001;
const PORT_NAME = 'http';
export const CONTAINER = 'app';

/** The port of an app in a cluster, or null. An image is not built here, so a port that only a build finds is null too. */
const appPort = ({ port }: Pick<Spec, 'port'>): number | null => (typeof port === 'number' ? port : null);

export const podLabels = (name: string): Readonly<Record<string, string>> => ({ [POD_LABEL]: name });

/** A name of an object of this attempt, at most 63 bytes: names of services have up to 40. */
const ofAttempt = (name: string, part: string, { revision, attempt }: FencedStamp) =>
  `${name}-${part}-${revision}-${attempt}`;

/**
 * The objects of an order, in the order in which they are applied: what a pod needs is there before it. Pure. The
 * rollout says which template the order wants; its fence is that of the order which first made it.
 */
export function objectsOf(
  order: Pick<ApplyOrder, 'service' | 'stamp' | 'artifact' | 'spec'>,
  namespace: string,
  rollout: FencedStamp,
): readonly AppliedObject[] {
  const { service, stamp, spec } = order;
  const name = nameOf(service);
  const metadata = (own: string, by = stamp) => ({
    name: own,
    namespace,
    labels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/managed-by': FIELD_MANAGER },
    annotations: marksOf({ service, stamp: by }),
  });
  const env = environmentOf(spec, name, rollout);
  const port = appPort(spec);
  return [
    ...(env.plain === null
      ? []
      : [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap' as const,
            metadata: metadata(env.plain.name),
            data: env.plain.data,
            immutable: true,
          },
        ]),
    ...(env.secret === null
      ? []
      : [
          {
            apiVersion: 'v1',
            kind: 'Secret' as const,
            // Secrets are never read: one of the same attempt must be the same to the letter, under whichever fence.
            metadata: metadata(env.secret.name, { ...rollout, fence: '0' }),
            data: env.secret.data,
            immutable: true,
          },
        ]),
    ...(port === null
      ? []
      : [
          {
            apiVersion: 'v1',
            kind: 'Service' as const,
            metadata: metadata(name),
            spec: {
              selector: podLabels(name),
              ports: [{ name: PORT_NAME, port, targetPort: PORT_NAME, protocol: 'TCP' }],
            },
          },
        ]),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata(name),
      spec: {
        replicas: spec.replicas ?? 1,
        selector: { matchLabels: podLabels(name) },
        // The old copies go when the new ones are ready, and not before.
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '25%' } },
        template: templateOf(order, env, rollout),
      },
    },
  ];
}

interface AppVariables {
  readonly plain: { readonly name: string; readonly data: Readonly<Record<string, string>> } | null;
  /** In base64. */
  readonly secret: { readonly name: string; readonly data: Readonly<Record<string, string>> } | null;
}

/**
 * Variables, each kind in an object that never changes: what ran before keeps its own, and a rollback needs no other.
 * Rejected: a hash of the secrets in their name, by which whoever may read names could try guesses.
 */
function environmentOf({ env = {} }: Spec, name: string, rollout: FencedStamp): AppVariables {
  const plain: Record<string, string> = {};
  const secret: Record<string, string> = {};
  for (const [key, value] of Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    if (typeof value === 'string') plain[key] = value;
    else secret[key] = Buffer.from(value.secret).toString('base64');
  const hash = createHash('sha256').update(JSON.stringify(plain)).digest('hex').slice(0, 10);
  return {
    plain: Object.keys(plain).length === 0 ? null : { name: `${name}-env-${hash}`, data: plain },
    secret:
      Object.keys(secret).length === 0 ? null : { name: ofAttempt(name, 'secret', rollout), data: secret },
  };
}

function templateOf(
  { service, artifact, spec }: Pick<ApplyOrder, 'service' | 'artifact' | 'spec'>,
  { plain, secret }: AppVariables,
  rollout: FencedStamp,
): object {
  const name = nameOf(service);
  const port = appPort(spec);
  const command = commandOf(spec);
  const from = [
    ...(plain === null ? [] : [{ configMapRef: { name: plain.name } }]),
    ...(secret === null ? [] : [{ secretRef: { name: secret.name } }]),
  ];
  const { resources, serviceAccount, pullSecrets = [], root = false } = spec.kubernetes ?? {};
  const isPortNamed = Object.hasOwn(spec.env ?? {}, 'PORT');
  return {
    metadata: {
      labels: { ...podLabels(name), 'app.kubernetes.io/name': name },
      annotations: { [ROLLOUT]: stampMark(rollout) },
    },
    spec: {
      automountServiceAccountToken: serviceAccount !== undefined,
      ...(serviceAccount !== undefined && { serviceAccountName: serviceAccount }),
      ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
      enableServiceLinks: false,
      securityContext: {
        ...(!root && { runAsNonRoot: true, runAsUser: USER, runAsGroup: USER, fsGroup: USER }),
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: CONTAINER,
          image: artifact,
          imagePullPolicy: 'IfNotPresent',
          ...(command !== null && { command }),
          ...(port !== null && !isPortNamed && { env: [{ name: 'PORT', value: String(port) }] }),
          ...(from.length > 0 && { envFrom: from }),
          ...(port !== null && {
            ports: [{ name: PORT_NAME, containerPort: port, protocol: 'TCP' }],
            readinessProbe: probeOf(spec),
          }),
          ...(resources !== undefined && { resources }),
          ...(!root && {
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          }),
          volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
        },
      ],
      volumes: [{ name: 'tmp', emptyDir: {} }],
    },
  };
}

/**
 * The words of the command. The kubelet puts `$(NAME)` in from the environment of the container: what merely looks like
 * that is escaped, so that it stays as it was written.
 */
function commandOf({ command }: Spec): readonly string[] | null {
  if (command === undefined) return null;
  // A private mark stands for each variable until the text around it is escaped; no command line has control characters.
  const words = typeof command === 'string' ? commandWords(command, (name) => `\0${name}\0`) : command;
  return words.map((word) =>
    word.replaceAll('$(', '$$$$(').replace(/\0(\w+)\0/g, (_, name: string) => `$(${name})`),
  );
}

/** Answers by the health path where there is one; else by taking connections. */
function probeOf({ health = {} }: Spec): object {
  const { path, intervalMs = 5_000, timeoutMs = 2_000 } = health;
  const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));
  return {
    ...(path === undefined
      ? { tcpSocket: { port: PORT_NAME } }
      : { httpGet: { path, port: PORT_NAME, scheme: 'HTTP' } }),
    periodSeconds: seconds(intervalMs),
    timeoutSeconds: Math.min(seconds(timeoutMs), seconds(intervalMs)),
    failureThreshold: 2,
  };
}

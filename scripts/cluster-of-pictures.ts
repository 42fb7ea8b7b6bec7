const IMAGE = 'registry.local/busybox:1';

interface PicturedApp {
  readonly name: string;
  readonly namespace?: string;
  readonly replicas?: number;
  readonly image?: string;
  readonly command: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly port?: number;
}

function deployment(pictured: PicturedApp): object {
  const {
    name,
    namespace = 'shop',
    replicas = 1,
    image = IMAGE,
    command,
    labels,
    annotations,
    port,
  } = pictured;
  const app = { app: name };
  const probe =
    port === undefined ? {} : { readinessProbe: { httpGet: { path: '/', port }, periodSeconds: 1 } };
  const container = {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['sh', '-c', command],
    ...probe,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels, annotations },
    spec: {
      replicas,
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app },
        spec: { dnsPolicy: 'Default', terminationGracePeriodSeconds: 1, containers: [container] },
      },
    },
  };
}

const helm = (release: string) => ({
  labels: { 'helm.sh/chart': `${release}-1.4.2`, 'app.kubernetes.io/managed-by': 'Helm' },
  annotations: { 'meta.helm.sh/release-name': release },
});
const argo = (name: string) => ({
  annotations: { 'argocd.argoproj.io/tracking-id': `shop:apps/Deployment:shop/${name}` },
});

const list = (...items: object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

/** A small shop that other tools have deployed, by tool: most of it works, and each of the others fails in its own way. */
export const SHOP: readonly (readonly [fieldManager: string, objects: string])[] = [
  [
    'kubectl',
    list(
      ...['shop', 'post', 'vault'].map((name) => ({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      })),
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'small', namespace: 'post' },
        spec: { hard: { pods: '1' } },
      },
      deployment({ name: 'report', command: 'sleep 1; exit 1' }),
    ),
  ],
  [
    'helm',
    list(
      deployment({
        ...{ name: 'web', replicas: 2, port: 8080, ...helm('web') },
        command: 'mkdir -p /www && echo hello > /www/index.html && httpd -f -p 8080 -h /www',
      }),
      deployment({ name: 'mail', namespace: 'post', replicas: 2, command: 'sleep 100000', ...helm('mail') }),
    ),
  ],
  [
    'argocd-controller',
    list(
      deployment({ name: 'search', command: 'sleep 100000', ...argo('search') }),
      deployment({ name: 'cart', image: 'registry.local/cart:2', command: 'true', ...argo('cart') }),
    ),
  ],
];

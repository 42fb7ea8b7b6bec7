import { beforeAll, vi } from 'vitest';
import type { OwnKubernetes } from '../../lab/kubernetes.ts';
import type { Api } from '../server/api.ts';
import { ok } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { type ClaimLog, useObservers } from './whole-path.ts';

export const BUSYBOX = 'registry.local/busybox:1';

export const container = (command: string, more = '') =>
  `containers: [{name: app, image: "${BUSYBOX}", imagePullPolicy: IfNotPresent, command: [sh, -c, "${command}"]${more}}]`;

export const deployment = (name: string, spec: string, { replicas = 1, namespace = 'shop' } = {}) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {terminationGracePeriodSeconds: 1, ${spec}}
---`;

export const SLEEP = container('sleep 100000');
export const PROBED = container(
  'httpd -f -p 8080 -h /www',
  ', ports: [{containerPort: 8080}], readinessProbe: {httpGet: {port: 8080}, periodSeconds: 1, failureThreshold: 2}',
);

const NAMESPACES = ['shop', 'small', 'bank'];

/** A service of the lab by the name of its workload. */
export const nameOf = (name: string, namespace = 'shop') => `${name}.${namespace}@lab`;

interface FaultLab {
  api(): Api;
  kubectl(args: readonly string[], input?: string): Promise<string>;
  apply(text: string): Promise<string>;
  /** Everything that is told of a service, from the first time that somebody requests its log. */
  log(service: string): Promise<ClaimLog>;
  /** Changes the rule of the target: whether apps may be asked. */
  observe(rule?: { readonly ask?: boolean }): Promise<void>;
  /** Starts an agent on the directory of the one before, which must have stopped. */
  startAgent(): Promise<void>;
  stopAgent(): Promise<void>;
  readonly observers: ReturnType<typeof useObservers>;
}

/** A server, and an agent that observes the whole cluster, from before the first test of a suite. */
export function useFaultLab(cluster: () => OwnKubernetes, content: readonly string[]): FaultLab {
  const servers = useServers(null, true);
  const observers = useObservers();
  const logs = new Map<string, ClaimLog>();
  const dir = observers.newDirectory();
  let api: Api;
  let agent: Awaited<ReturnType<typeof observers.agent>>;
  const lab: FaultLab = {
    api: () => api,
    kubectl: (args, input) => cluster().kubectl(args, input),
    apply: (text) => lab.kubectl(['apply', '-f', '-'], text),
    async log(service) {
      const known = logs.get(service) ?? (await observers.log(api, service));
      logs.set(service, known);
      return known;
    },
    async observe(rule = {}) {
      const body = { namespaces: ['*'], ...rule };
      ok(await api.call('PUT', '/v1/targets/lab/observation', { body }));
    },
    async startAgent() {
      agent = await observers.agent(api, { kubeconfig: cluster().kubeconfig, target: 'lab', dir });
    },
    stopAgent: () => agent.stop(),
    observers,
  };

  beforeAll(async () => {
    // A quiet watch is proven every 5 s: a shorter freshness than this would call it stale in between.
    ({ api } = await servers.start({ args: ['--fresh-for', '15000', '--report-every', '1000'] }));
    await lab.observe();
    await lab.apply(
      NAMESPACES.map((name) => `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}\n---\n`).join(
        '',
      ),
    );
    for (const namespace of NAMESPACES)
      await vi.waitFor(() => lab.kubectl(['-n', namespace, 'get', 'serviceaccount', 'default']), {
        timeout: 30_000,
      });
    await lab.apply(content.join(''));
    await lab.startAgent();
  });
  return lab;
}

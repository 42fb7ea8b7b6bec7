import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openAccess } from '../../src/kubernetes/api/access.ts';
import { ApiConnection } from '../../src/kubernetes/api/connection.ts';
import { ClusterCache } from '../../src/kubernetes/cache/cluster-cache.ts';
import { ClusterObserver } from '../../src/kubernetes/observe/cluster-observer.ts';
import type { InstanceStanding } from '../../src/kubernetes/observe/instance.ts';
import { describeWithCluster } from './own-cluster.ts';

vi.setConfig({ testTimeout: 180_000 });

const BECOMES = { timeout: 120_000, interval: 200 };

const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: "registry.local/busybox:1", imagePullPolicy: Never, ports: [{containerPort: 8080}]}]
`;

describeWithCluster(
  'the truth about pods on a real node',
  (cluster) => {
    let connection: ApiConnection | undefined;
    let cache: ClusterCache;
    let observer: ClusterObserver;
    beforeAll(async () => {
      connection = new ApiConnection(await openAccess({ kubeconfig: cluster().kubeconfig }));
      const now = () => performance.now();
      cache = new ClusterCache(connection, {
        namespaces: 'all',
        onChange: (change) => observer.receive(change, now()),
      });
      observer = new ClusterObserver(cache, {
        nodesProvenAt: () => cache.nodesStanding().provenAt,
        arePodsProven: () => cache.arePodsProven(),
      });
      cache.start();
      await cluster().kubectl(['apply', '-f', '-'], WEB);
    });
    afterAll(() => {
      cache?.stop();
      connection?.close();
    });

    const web = () =>
      observer.workloads('default', performance.now(), Date.now()).find(({ name }) => name === 'web');
    const standings = () => web()?.instances.map(({ standing }) => standing) ?? [];
    const isReady = (standing: InstanceStanding | undefined) =>
      standing?.kind === 'known' && standing.ready && standing.by === 'kubelet';
    const becomesReady = () =>
      vi.waitFor(() => {
        expect(standings()).toHaveLength(1);
        expect(isReady(standings()[0])).toBe(true);
      }, BECOMES);

    it('knows a ready pod of the current template by its kubelet’s word', async () => {
      await becomesReady();
      const [instance] = web()?.instances ?? [];
      expect(instance).toMatchObject({ revision: 'current', node: 'localhost', isTerminating: false });
      expect(instance?.digests.app).toMatch(/^sha256:/);
      expect(web()).toMatchObject({
        desired: 1,
        contradictory: [],
        images: { app: 'registry.local/busybox:1' },
      });
    });

    it('never calls a pod degraded or stopped while its kubelet is frozen, deleted by force or not (rules 5, 6)', async () => {
      const [before] = web()?.instances ?? [];
      const seen = new Set<string>();
      cluster().freeze('kubelet');
      const watching = setInterval(() => {
        const own = web()?.instances.find(({ uid }) => uid === before?.uid);
        seen.add(
          own === undefined
            ? 'gone'
            : own.standing.kind === 'unknown'
              ? own.standing.why
              : String(own.standing.ready),
        );
      }, 100);
      await vi.waitFor(
        () => expect(standings()[0]).toMatchObject({ kind: 'unknown', why: 'node_silent' }),
        BECOMES,
      );
      // The controller manager has given the node up by now, and says so of the pod.
      await vi.waitFor(async () => {
        const ready = '{.items[0].status.conditions[?(@.type=="Ready")].status}';
        expect(await cluster().kubectl(['get', 'pods', '-l', 'app=web', '-o', `jsonpath=${ready}`])).toBe(
          'False',
        );
      }, BECOMES);
      expect(standings()[0]).toMatchObject({ kind: 'unknown', why: 'node_silent', lastReady: false });
      await cluster().kubectl(['delete', 'pod', before?.name ?? '', '--force', '--grace-period=0']);
      await vi.waitFor(() => {
        const own = web()?.instances.find(({ uid }) => uid === before?.uid);
        expect(own?.standing).toMatchObject({ kind: 'unknown', why: 'vanished' });
      }, BECOMES);
      clearInterval(watching);
      expect(seen).not.toContain('false');
      expect(seen).not.toContain('gone');
      cluster().thaw('kubelet');
      // Its node is heard again, so that it is gone; another takes its place.
      await becomesReady();
      expect(web()?.instances[0]?.uid).not.toBe(before?.uid);
    });

    it('believes no pod of a restored cluster before its kubelet has spoken (rule 1)', async () => {
      await cluster().backUp();
      await becomesReady();
      await cluster().kubectl(['create', 'configmap', 'later']);
      await cluster().kubectl(['annotate', 'deployment', 'web', 'changed=yes']);
      await vi.waitFor(() => expect([...cache.records('Deployment')][0]?.generation).toBe(2), BECOMES);
      await cluster().restore();
      await vi.waitFor(() => expect(cache.namespaceStanding('default').watchAgeMs).toBeNull(), BECOMES);
      await cluster().stop('apiserver');
      await cluster().start('apiserver');
      await vi.waitFor(() => {
        expect(cache.namespaceStanding('default')).toMatchObject({ isComplete: true, problem: null });
        expect(standings()[0]).toMatchObject({ kind: 'unknown', why: 'store_recovered' });
      }, BECOMES);
      const [instance] = web()?.instances ?? [];
      observer.answered(instance?.uid ?? '');
      await vi.waitFor(() => expect(isReady(standings()[0])).toBe(true), BECOMES);
    });
  },
  { node: true },
);

import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { READY_OBJECTS } from '../../src/kubernetes/verdict/ready-objects.ts';
import { FakeApi, type FakeRequest } from '../kubernetes/fake-api.ts';
import { useServers } from '../server/servers.ts';
import { useRuns } from './runs.ts';

const servers = useServers(null, true);
const runs = useRuns(servers);
const { Deployment, Pod, Node, PersistentVolumeClaim } = READY_OBJECTS;
const pending = { ...PersistentVolumeClaim, status: { phase: 'Pending' } };

/** Runs it offline, with `input` as standard input. */
function inspect(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [servers.program(), 'inspect', ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return { code: status, out: stdout, err: stderr };
}
const json = (input: string) => {
  const { code, out, err } = inspect(['-f', '-', '-o', 'json'], input);
  return { code, entries: JSON.parse(out) as Record<string, unknown>[], err };
};

describe('inspect, of files and standard input', () => {
  it('gives each object the fields that scripts read, and exits 0 if all are ready', () => {
    const { code, entries } = json(
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [Deployment, Node] }),
    );
    expect(code).toBe(0);
    expect(entries).toEqual([
      {
        kind: 'Deployment',
        namespace: 'shop',
        name: 'deployment',
        verdict: 'ready',
        reason: null,
        stage: null,
        owner: 'none',
        user: 'It is as it should be.',
        operator: '2 of 2 replicas are available',
      },
      expect.objectContaining({ kind: 'Node', namespace: null, name: 'node', verdict: 'ready' }),
    ]);
  });

  it('exits 1 if one is not, and says what is unmet and whose move it is', () => {
    const { code, entries } = json(JSON.stringify([Pod, pending]));
    expect(code).toBe(1);
    expect(entries[1]).toMatchObject({
      verdict: 'progressing',
      reason: 'volume_pending',
      stage: 'scheduling',
      owner: 'platform',
      operator: expect.stringMatching(/^condition 3 of \d+: phase Pending$/),
    });
  });

  it('exits 0 over what is suspended or stopped on purpose', () => {
    const paused = { ...Deployment, spec: { paused: true } };
    const stopped = { ...Deployment, spec: { replicas: 0 }, status: { observedGeneration: 2 } };
    const { code, entries } = json(JSON.stringify([paused, stopped]));
    expect([code, ...entries.map(({ verdict }) => verdict)]).toEqual([0, 'suspended', 'stopped']);
  });

  it('judges the rest of a stream of which one document is bad, names it, and exits 2', () => {
    const { code, entries, err } = json(`${JSON.stringify(Pod)}\n---\n: : :\n---\n${JSON.stringify(Node)}`);
    expect([code, entries.map(({ kind }) => kind)]).toEqual([2, ['Pod', 'Node']]);
    expect(JSON.parse(err)).toMatchObject({
      code: 'bad_input',
      errors: [expect.stringContaining('standard input, document 2')],
    });
  });

  it.each([
    ['nothing', ''],
    ['a megabyte of nonsense', '\u0007}{][%@'.repeat(150_000)],
    ['a megabyte of brackets', '['.repeat(1_000_000)],
    ['half a million documents', '---\nx\n'.repeat(200_000)],
  ])('exits 2 over %s, with a short word why', (_, input) => {
    const { code, out, err } = inspect(['-f', '-'], input);
    expect([code, out]).toEqual([2, '']);
    expect(err).not.toBe('');
    expect(err).not.toMatch(/\bat .*\.js/);
    expect(err.length).toBeLessThan(6000);
  });

  it('does not take an empty list for proof', () => {
    expect(json('{"apiVersion":"v1","kind":"List","items":[]}')).toMatchObject({ code: 1, entries: [] });
  });

  it('reads files and directories, and names what is not there', () => {
    const dir = runs.folder({
      'a/pod.json': JSON.stringify(Pod),
      'a/node.yaml': JSON.stringify(Node),
      'a/notes.txt': 'x',
    });
    const { code, out, err } = inspect(['-f', join(dir, 'a'), '-f', join(dir, 'b')]);
    expect(code).toBe(2);
    expect(out).toMatch(/^VERDICT +NAMESPACE +OBJECT/);
    expect(out).toMatch(/ready +shop +Pod\/pod/);
    expect(out).toMatch(/ready +Node\/node/);
    expect(err).toContain(`${join(dir, 'b')} cannot be read`);
  });

  it('takes an empty folder for a mistake, as it does an empty file', () => {
    const dir = runs.folder({ 'a/notes.txt': 'x', 'b.yaml': '' });
    const folder = inspect(['-f', join(dir, 'a')]);
    expect([folder.code, inspect(['-f', join(dir, 'b.yaml')]).code]).toEqual([2, 2]);
    expect(folder.err).toContain('there is no .yaml, .yml or .json file in it');
  });

  it('gives events no line beside the objects that they are about', () => {
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'x' } };
    expect(json(JSON.stringify([event, Pod])).entries.map(({ kind }) => kind)).toEqual(['Pod']);
    expect(json(JSON.stringify(event)).entries.map(({ kind }) => kind)).toEqual(['Event']);
  });

  it('refuses files and a namespace together', () => {
    expect(inspect(['-f', '-', '-n', 'shop'])).toMatchObject({ code: 2, out: '' });
  });

  it('steers no terminal with names from outside', () => {
    const { out } = inspect(['-f', '-'], JSON.stringify({ ...Pod, metadata: { name: '\u001b[2Jx' } }));
    expect(out).not.toContain('\u001b');
  });

  it('prints only what is not well with --quiet', () => {
    const { out } = inspect(['-f', '-', '-q'], JSON.stringify([Pod, pending]));
    expect(out).toContain('PersistentVolumeClaim');
    expect(out).not.toContain('Pod/');
    expect(inspect(['-f', '-', '-q'], JSON.stringify(Pod))).toEqual({ code: 0, out: '', err: '' });
  });

  it('prints a table of two hundred thousand lines, and of a name that is a megabyte long', () => {
    const many = Array(200_000).fill({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    const long = { ...Pod, metadata: { name: 'x'.repeat(1_000_000) } };
    const { code, out } = inspect(['-f', '-'], JSON.stringify([...many, long]));
    expect([code, out.split('\n').length]).toEqual([0, 200_003]);
  });

  it('is a plugin of kubectl', () => {
    const plugin = join(dirname(servers.program()), '..', 'bin', 'kubectl-evident');
    const run = spawnSync(process.execPath, [plugin, '-f', '-', '-o', 'json'], {
      input: JSON.stringify(Pod),
      encoding: 'utf8',
    });
    expect([run.status, JSON.parse(run.stdout)[0].verdict]).toEqual([0, 'ready']);
  });
});

describe('inspect, of a cluster', () => {
  const resource = (name: string, kind: string, scope = 'Namespaced') => ({
    resource: name,
    responseKind: { kind },
    scope,
    verbs: ['get', 'list'],
  });
  const groups = (name: string, resources: object[]) => ({
    kind: 'APIGroupDiscoveryList',
    items: [{ metadata: { name }, versions: [{ version: 'v1', resources }] }],
  });
  const list = (items: object[]) => ({ kind: 'List', metadata: { resourceVersion: '7' }, items });

  /** A cluster with a pod on a silent node, and jobs that may not be read. */
  function answer({ path, json: send }: FakeRequest): void {
    if (path === '/api')
      send(
        groups('', [
          resource('pods', 'Pod'),
          resource('secrets', 'Secret'),
          resource('nodes', 'Node', 'Cluster'),
        ]),
      );
    else if (path === '/apis') send(groups('batch', [resource('jobs', 'Job')]));
    else if (path.endsWith('/pods')) send(list([Pod]));
    else if (path.endsWith('/nodes'))
      send(
        list([{ ...Node, status: { ...Node.status, conditions: [{ type: 'Ready', status: 'Unknown' }] } }]),
      );
    else send({ kind: 'Status', message: 'jobs is forbidden' }, 403);
  }

  function kubeconfig({ access, authority }: FakeApi): string {
    const text = JSON.stringify({
      'current-context': 'fake',
      contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'me', namespace: 'shop' } }],
      clusters: [
        {
          name: 'fake',
          cluster: {
            server: access.server.href,
            'certificate-authority-data': Buffer.from(authority).toString('base64'),
          },
        },
      ],
      users: [{ name: 'me', user: { token: 'first' } }],
    });
    const file = join(runs.folder({ 'kubeconfig.json': text }), 'kubeconfig.json');
    chmodSync(file, 0o600);
    return file;
  }

  it('reads the namespace of the context once, joins pods with their nodes, and says what it may not read', async () => {
    const api = await FakeApi.start(answer);
    try {
      const run = await runs.done(['inspect', '-o', 'json'], { env: { KUBECONFIG: kubeconfig(api) } });
      const entries = JSON.parse(run.out).map(({ kind, verdict, reason }: Record<string, string>) => [
        kind,
        verdict,
        reason,
      ]);
      expect(entries).toEqual([
        ['Pod', 'unknown', 'node_lost'],
        ['Node', 'unknown', 'node_silent'],
      ]);
      expect(run.code).toBe(1);
      expect(run.err).toContain('jobs.batch cannot be read');
      expect(api.requests.map(({ path }) => path)).toContain('/api/v1/namespaces/shop/pods');
      expect(api.requests.some(({ path }) => path.includes('secrets'))).toBe(false);
    } finally {
      await api.stop();
    }
  });

  it('proves nothing by a namespace that is empty, does not exist or has no name', async () => {
    const empty = ({ path, json: send }: FakeRequest) => {
      if (path === '/api' || path === '/apis' || path.endsWith('/nodes'))
        answer({ path, json: path.endsWith('/nodes') ? () => send(list([Node])) : send } as FakeRequest);
      else if (path.endsWith('/namespaces/nosuchns')) send({ kind: 'Status', message: 'not found' }, 404);
      else if (path.endsWith('/namespaces/shop')) send({ kind: 'Namespace' });
      else send(list([]));
    };
    const api = await FakeApi.start(empty);
    try {
      const env = { KUBECONFIG: kubeconfig(api) };
      const shop = await runs.done(['inspect'], { env });
      expect([shop.code, shop.out]).toEqual([1, 'No objects in the namespace shop: nothing is proven.\n']);
      const absent = await runs.done(['inspect', '-n', 'nosuchns', '-o', 'json'], { env });
      expect([absent.code, JSON.parse(absent.out)]).toEqual([1, []]);
      expect(absent.err).toContain('There is no namespace nosuchns');
      for (const name of ['', 'B@D']) {
        const bad = await runs.done(['inspect', '-n', name], { env });
        expect([bad.code, bad.out]).toEqual([2, '']);
      }
    } finally {
      await api.stop();
    }
  });

  it('says that there is no cluster, and exits 5 where it does not answer', async () => {
    const home = runs.folder({ 'x.txt': '' });
    const none = await runs.done(['inspect', '-A'], { env: { HOME: home, KUBECONFIG: '' } });
    expect([none.code, none.out]).toEqual([2, '']);
    expect(none.err).toContain('kubeconfig');
    const file = join(home, 'dead');
    writeFileSync(
      file,
      JSON.stringify({
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'a' } }],
        clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
      }),
    );
    const dead = await runs.done(['inspect', '-A'], {
      env: { KUBECONFIG: [file, '/nowhere'].join(delimiter) },
    });
    expect(dead.code).toBe(5);
  });
});

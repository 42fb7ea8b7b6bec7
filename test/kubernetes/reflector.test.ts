import { afterEach, expect, it, vi } from 'vitest';
import { ApiConnection } from '../../src/kubernetes/api/connection.ts';
import type { KeptRecord } from '../../src/kubernetes/api/reflect/record-store.ts';
import { Reflector, type ReflectorChange } from '../../src/kubernetes/api/reflect/reflector.ts';
import { FakeApi, type FakeRequest } from './fake-api.ts';

let fake: FakeApi;
let connection: ApiConnection;
let reflector: Reflector<KeptRecord>;
let changes: ReflectorChange<KeptRecord>[];

afterEach(async () => {
  reflector.stop();
  connection.close();
  await fake.stop();
});

interface Pod {
  readonly metadata: { readonly uid: string; readonly name: string; readonly resourceVersion: string };
}

const pod = (uid: string, version: string) => ({
  metadata: { uid, name: uid, namespace: 'shop', resourceVersion: version },
});
const list = (version: string, pods: Pod[] = []) => ({
  kind: 'PodList',
  metadata: { resourceVersion: version },
  items: pods,
});
const status = (code: number, message = 'no') => ({ kind: 'Status', status: 'Failure', code, message });

/** The kind of a request: a list, a watch, a read of the current version, or a read of etcd's history. */
function kindOf({ query }: FakeRequest): 'list' | 'watch' | 'current' | 'history' {
  if (query.get('watch') !== null) return 'watch';
  if (query.get('resourceVersionMatch') !== null) return 'history';
  return query.get('limit') === '1' ? 'current' : 'list';
}

let world: ReturnType<typeof list>;

/** Answers whatever the script does not: one pod, at version 10, unless the script replaces the world. */
async function reflect(script: (request: FakeRequest, nth: number) => boolean): Promise<void> {
  world = list('10', [pod('a', '7')]);
  const counts = { list: 0, watch: 0, current: 0, history: 0 };
  fake = await FakeApi.start((request) => {
    const kind = kindOf(request);
    if (script(request, ++counts[kind])) return;
    if (kind === 'watch') request.begin();
    else request.json(world);
  });
  connection = new ApiConnection(fake.access);
  changes = [];
  reflector = new Reflector(connection, {
    resource: { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true },
    scope: { namespace: 'shop' },
    keep: (object) => {
      const { uid, name, resourceVersion } = (object as Pod).metadata;
      return { uid, name, namespace: 'shop', version: resourceVersion };
    },
    onChange: (change) => changes.push(change),
    random: () => 0,
  });
  reflector.start();
}

/** For a fake server in this process: what does not come by then will not come, on however slow a machine. */
/** Longer than a connection waits for an answer. */
const PATIENT = 50_000;

const isProven = () => vi.waitFor(() => expect(reflector.standing().watchAgeMs).not.toBeNull(), PATIENT);
const asked = (kind: string) => fake.requests.filter((request) => kindOf(request) === kind);

it('lists, watches and proves over one connection', async () => {
  await reflect(() => false);
  await isProven();
  expect([...reflector.records.keys()]).toEqual(['a']);
  expect(new Set(fake.requests.map(({ connection }) => connection)).size).toBe(1);
  expect(asked('watch')[0]?.query.get('resourceVersion')).toBe('10');
  expect(asked('history')[0]?.query.get('fieldSelector')).toBe('metadata.name=a');
});

it('is not proven by bookmarks and events alone', async () => {
  await reflect((request) => {
    if (kindOf(request) === 'watch') {
      request.begin();
      request.line({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '11' } } });
      request.line({ type: 'ADDED', object: pod('b', '12') });
      return true;
    }
    // Never answered: etcd is frozen.
    return kindOf(request) === 'current';
  });
  await vi.waitFor(() => expect(reflector.records.size).toBe(2), PATIENT);
  expect(reflector.standing()).toMatchObject({ isComplete: true, watchAgeMs: null, highest: '12' });
});

it('applies events as they come, in pieces or together', async () => {
  await reflect((request) => {
    if (kindOf(request) !== 'watch') return false;
    request.begin();
    const line = JSON.stringify({ type: 'ADDED', object: pod('b', '11') });
    request.stream.write(line.slice(0, 9));
    setImmediate(() => {
      request.stream.write(
        `${line.slice(9)}\n${JSON.stringify({ type: 'DELETED', object: pod('a', '12') })}\n`,
      );
    });
    return true;
  });
  await vi.waitFor(() => expect([...reflector.records.keys()]).toEqual(['b']), PATIENT);
  expect(changes.at(-1)).toMatchObject({ kind: 'deleted', record: { uid: 'a' } });
});

it.each([
  [
    'an ERROR event within the watch',
    (request: FakeRequest) => {
      request.begin();
      request.line({ type: 'ERROR', object: status(410) });
    },
  ],
  ['HTTP 410', (request: FakeRequest) => request.json(status(410), 410)],
])('lists again after %s, and infers no deletion before (F60)', async (_, expire) => {
  await reflect((request, nth) => {
    if (kindOf(request) === 'list' && nth === 2) {
      expect(reflector.records.size).toBe(1);
      world = list('20', [pod('b', '15')]);
    }
    if (kindOf(request) === 'watch' && nth === 1) {
      expire(request);
      return true;
    }
    return false;
  });
  await vi.waitFor(() => expect([...reflector.records.keys()]).toEqual(['b']), PATIENT);
});

it.each([
  [
    'ends within a line',
    (request: FakeRequest) => {
      request.begin();
      request.stream.end('{"type": "ADDED", "obj');
    },
  ],
  [
    'sends a line that is no event',
    (request: FakeRequest) => {
      request.begin();
      request.line({ type: 'SURPRISE', object: pod('x', '11') });
    },
  ],
  [
    'is reset',
    (request: FakeRequest) => {
      request.begin();
      request.stream.close(2);
    },
  ],
  [
    'ends with the connection',
    (request: FakeRequest) => {
      request.begin();
      setImmediate(() => request.stream.session?.destroy());
    },
  ],
  ['ends as soon as it is open', (request: FakeRequest) => request.json('')],
  [
    'is told to go away',
    (request: FakeRequest) => {
      request.begin();
      request.stream.session?.goaway();
      request.stream.end();
    },
  ],
])('watches again when a watch %s', async (_, odd) => {
  await reflect((request, nth) => {
    if (kindOf(request) !== 'watch' || nth > 2) return false;
    odd(request);
    return true;
  });
  await isProven();
  expect(asked('watch').length).toBeGreaterThan(2);
});

it('is forbidden while RBAC says so, and recovers by itself (F77)', async () => {
  let isForbidden = true;
  await reflect((request) => {
    if (isForbidden) request.json(status(403, 'pods is forbidden'), 403);
    return isForbidden;
  });
  await vi.waitFor(() => expect(reflector.standing().problem?.kind).toBe('forbidden'), PATIENT);
  isForbidden = false;
  await isProven();
  expect(reflector.standing().problem).toBeNull();
});

it('forgets a kind that is not served any more', async () => {
  let isServed = true;
  await reflect((request) => {
    if (!isServed) request.json(status(404), 404);
    else if (kindOf(request) === 'watch') {
      isServed = false;
      request.begin();
      request.stream.close(2);
    } else return false;
    return true;
  });
  await vi.waitFor(() => expect(changes.at(-1)).toEqual({ kind: 'dropped', because: 'absent' }), PATIENT);
  expect(reflector.records.size).toBe(0);
  expect(reflector.standing()).toMatchObject({ isComplete: false, problem: { kind: 'absent' } });
});

it('tells a restored cluster by a read below the highest version (rule 1)', async () => {
  await reflect((request, nth) => {
    if (kindOf(request) !== 'list' || nth === 1) {
      if (kindOf(request) === 'watch' && asked('watch').length === 1) request.json(status(410), 410);
      return kindOf(request) === 'watch' && asked('watch').length === 1;
    }
    request.json(list('4', [pod('a', '3')]));
    return true;
  });
  await vi.waitFor(() => expect(changes).toContainEqual({ kind: 'dropped', because: 'restored' }), PATIENT);
});

it.each([
  [
    'lacks the version',
    (request: FakeRequest) =>
      request.json(status(504, 'Timeout: Too large resource version: 10, current: 5'), 504),
  ],
  ['lacks the object', (request: FakeRequest) => request.json(list('10'))],
  ['has another object of that name', (request: FakeRequest) => request.json(list('10', [pod('z', '7')]))],
])('tells a restored cluster whose API server goes on from memory: etcd %s', async (_, answer) => {
  await reflect((request) => {
    if (kindOf(request) !== 'history') return false;
    answer(request);
    return true;
  });
  await vi.waitFor(() => expect(changes).toContainEqual({ kind: 'dropped', because: 'restored' }), PATIENT);
  expect(reflector.standing().watchAgeMs).toBeNull();
});

it('takes a version that etcd has compacted for one that etcd had', async () => {
  await reflect((request) => {
    if (kindOf(request) === 'history') request.json(status(410), 410);
    return kindOf(request) === 'history';
  });
  await isProven();
});

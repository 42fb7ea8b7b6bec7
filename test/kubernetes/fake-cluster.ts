import { ApiConnection } from '../../src/kubernetes/api/connection.ts';
import { FakeApi, type FakeRequest } from './fake-api.ts';

interface FakeObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/**
 * A cluster in this process, behind a fake API server: objects that the test writes, lists and watches of them. No
 * controller and no kubelet: the test writes what they would. What a real API server does is tried in the lab.
 */
export class FakeCluster {
  readonly api: FakeApi;
  readonly #objects: Map<string, Map<string, FakeObject>>;
  readonly #watches: Set<{ readonly resource: string; readonly request: FakeRequest }>;
  readonly #parts: FakeClusterParts;
  #version = 10;

  private constructor(api: FakeApi, parts: FakeClusterParts) {
    this.api = api;
    this.#parts = parts;
    this.#objects = parts.objects;
    this.#watches = parts.watches;
  }

  static async start(): Promise<FakeCluster> {
    const parts: FakeClusterParts = {
      ...{ objects: new Map(), watches: new Set(), version: () => 10, isRefused: () => false },
      ...{ removedNamespaces: new Set(), history: [] },
    };
    const api = await FakeApi.start((request) =>
      parts.isRefused(request.path) ? refuse(request) : answer(request, parts),
    );
    const cluster = new FakeCluster(api, parts);
    parts.version = () => cluster.#version;
    return cluster;
  }

  connect(): ApiConnection {
    return new ApiConnection(this.api.access);
  }

  /** Writes an object of a resource (`pods`), and tells those who watch it. */
  put(resource: string, object: FakeObject): void {
    this.#version += 1;
    const written = {
      ...object,
      metadata: { generation: 1, ...object.metadata, resourceVersion: String(this.#version) },
    };
    const there = this.#objects.get(resource) ?? new Map<string, FakeObject>();
    this.#objects.set(resource, there.set(object.metadata.uid, written));
    this.#parts.history.push({ resource, object: written });
    for (const watch of this.#watches)
      if (watch.resource === resource) watch.request.line({ type: 'MODIFIED', object: written });
  }

  /** Refuses what the path names from now on, also to those who watch it. */
  refuse(isRefused: (path: string) => boolean): void {
    this.#parts.isRefused = isRefused;
    for (const { request } of this.#watches) if (isRefused(request.path)) request.stream.end();
  }

  /** The namespace is no more: what is in it is for the test to refuse or to end. */
  removeNamespace(name: string): void {
    this.#parts.removedNamespaces.add(name);
  }

  stop(): Promise<void> {
    return this.api.stop();
  }
}

function refuse(request: FakeRequest): void {
  const resource = request.path.split('/').at(-1);
  const message = `${resource} is forbidden: User "agent" cannot list resource "${resource}" in API group ""`;
  request.json({ kind: 'Status', message }, 403);
}

interface FakeClusterParts {
  readonly objects: Map<string, Map<string, FakeObject>>;
  readonly watches: Set<{ readonly resource: string; readonly request: FakeRequest }>;
  version: () => number;
  isRefused: (path: string) => boolean;
  readonly removedNamespaces: Set<string>;
  /** Everything that was ever written: a list at one exact version shows what was there then. */
  readonly history: { readonly resource: string; readonly object: FakeObject }[];
}

function answer(
  request: FakeRequest,
  { objects, watches, version, removedNamespaces, history }: FakeClusterParts,
): void {
  const looked = /^\/api\/v1\/namespaces\/([^/]+)$/.exec(request.path)?.[1];
  if (looked !== undefined) {
    if (removedNamespaces.has(looked)) {
      request.json({ kind: 'Status', message: `namespaces "${looked}" not found` }, 404);
      return;
    }
    const found = [...(objects.get('namespaces')?.values() ?? [])].find(
      ({ metadata: { name } }) => name === looked,
    );
    request.json(found ?? { metadata: { name: looked } });
    return;
  }
  const resource = request.path.split('/').at(-1) ?? '';
  const namespace = /\/namespaces\/([^/]+)\//.exec(request.path)?.[1];
  const name = /^metadata\.name=(.+)$/.exec(request.query.get('fieldSelector') ?? '')?.[1];
  const exact = request.query.get('resourceVersionMatch') === 'Exact';
  const until = exact ? Number(request.query.get('resourceVersion')) : Number.POSITIVE_INFINITY;
  const past = history.filter(
    ({ resource: of, object }) => of === resource && Number(object.metadata.resourceVersion) <= until,
  );
  const there = exact
    ? [...new Map(past.map(({ object }) => [object.metadata.uid, object])).values()]
    : [...(objects.get(resource)?.values() ?? [])];
  if (request.query.get('watch') !== null) {
    const watch = { resource, request };
    watches.add(watch);
    request.stream.once('close', () => watches.delete(watch));
    request.begin();
    const from = Number(request.query.get('resourceVersion'));
    for (const object of there)
      if (Number(object.metadata.resourceVersion) > from) request.line({ type: 'MODIFIED', object });
    return;
  }
  const items = there.filter(
    ({ metadata }) =>
      (namespace === undefined || metadata.namespace === namespace) &&
      (name === undefined || metadata.name === name),
  );
  request.json({ kind: 'List', metadata: { resourceVersion: String(version()) }, items });
}

import { clusterProblemOf } from '../api/problem.ts';
import { type ApiResource, type ListScope, listPath } from '../api/resources.ts';
import type { Deployer } from '../cache/managed-by.ts';
import { commitOfDeployer } from '../observe/commit-of-deployer.ts';
import type { ObservedWorkload } from '../observe/workload.ts';
import { isFields, listAt } from '../verdict/fields.ts';
import type { ReadDocument } from './look-up-namespace.ts';

/** The tool that changed a template says so in its own object a moment later: only what it says then counts. */
const SETTLES_MS = 10_000;
/** One that names no commit is read again this often. */
const AGAIN_MS = 60_000;
/** A kind that is not served, or may not be listed, is not asked for again for this long. */
const REFUSED_MS = 300_000;

/** The kinds whose objects name a commit. A HelmRelease names the version of a chart. */
const KINDS: { readonly [K in Deployer['kind']]: ApiResource | null } = {
  Application: {
    ...{ group: 'argoproj.io', version: 'v1alpha1', resource: 'applications' },
    ...{ kind: 'Application', namespaced: true },
  },
  Kustomization: {
    ...{ group: 'kustomize.toolkit.fluxcd.io', version: 'v1', resource: 'kustomizations' },
    ...{ kind: 'Kustomization', namespaced: true },
  },
  HelmRelease: null,
};

/** A workload whose commit its own marks do not name. */
interface AwaitedCommit {
  readonly namespace: string;
  readonly template: string;
  /** Monotonic: first seen with this template, and last read for it. */
  readonly since: number;
  readAt: number;
  commit: string | null;
  readonly deployer: Deployer;
}

/**
 * Reads the commit of a workload from the object that deploys it, once per template: nothing is read where no workload
 * names such an object, nor once its commit is known. A read that is refused or fails says nothing.
 */
export class DeployedCommits {
  readonly #read: ReadDocument;
  readonly #onFound: (namespace: string) => void;
  readonly #awaited = new Map<string, AwaitedCommit>();
  readonly #refusedAt = new Map<Deployer['kind'], number>();

  constructor(read: ReadDocument, onFound: (namespace: string) => void) {
    this.#read = read;
    this.#onFound = onFound;
  }

  /** The commit that the template of a workload comes from; null while nobody has said it. */
  of(workload: ObservedWorkload, now: number): string | null {
    const { uid, namespace, commit, managedBy, template, images, isGone } = workload;
    const deployer = managedBy?.deployer;
    if (commit !== null || deployer === undefined || KINDS[deployer.kind] === null) return commit;
    if (isGone || template === 'unsettled') return null;
    const shown = JSON.stringify([template.template, images]);
    const known = this.#awaited.get(uid);
    if (known?.template === shown) return known.commit;
    const awaited = { namespace, template: shown, since: now, readAt: Number.NEGATIVE_INFINITY };
    this.#awaited.set(uid, { ...awaited, commit: null, deployer });
    return null;
  }

  look(now: number, isThere: (uid: string) => boolean): void {
    for (const [uid, awaited] of this.#awaited) {
      if (!isThere(uid)) this.#awaited.delete(uid);
      else if (this.#isDue(awaited, now)) {
        awaited.readAt = now;
        void this.#readFor(awaited, now);
      }
    }
  }

  #isDue({ since, readAt, commit, deployer }: AwaitedCommit, now: number): boolean {
    if (commit !== null || now - since < SETTLES_MS || now - readAt < AGAIN_MS) return false;
    return now - (this.#refusedAt.get(deployer.kind) ?? Number.NEGATIVE_INFINITY) >= REFUSED_MS;
  }

  async #readFor(awaited: AwaitedCommit, now: number): Promise<void> {
    const { kind, namespace, name } = awaited.deployer;
    const resource = KINDS[kind];
    if (resource === null) return;
    const scope: ListScope = namespace === null ? 'all' : { namespace };
    const query = { fieldSelector: `metadata.name=${name}`, limit: '2' };
    try {
      const { value } = await this.#read(listPath(resource, scope, query));
      const found = isFields(value) ? listAt(value, 'items') : [];
      // Two of that name: nobody says which of them it is.
      const [only] = found;
      awaited.commit = only === undefined || found.length > 1 ? null : commitOfDeployer(kind, only);
    } catch (error) {
      const problem = clusterProblemOf(error).kind;
      if (problem === 'absent' || problem === 'forbidden') this.#refusedAt.set(kind, now);
    }
    if (awaited.commit !== null) this.#onFound(awaited.namespace);
  }
}

import type { ApiConnection } from '../api/connection.ts';
import { ApiFailure, type ClusterProblem } from '../api/problem.ts';
import { type ApiResource, listPath, objectPath } from '../api/resources.ts';
import { CACHED_KINDS } from '../cache/kinds.ts';
import { isFields, listAt, type ObjectFields, textAt } from '../verdict/fields.ts';
import { type DeployedMarks, FIELD_MANAGER, isNewer, marksIn } from './marks.ts';
import type { AppliedKind, AppliedObject } from './objects.ts';
import {
  deletedMeanwhile,
  fieldConflict,
  keepsChanging,
  notOurs,
  olderThan,
  stillDeleting,
} from './refusals.ts';

/** The calls of an API server that a writer needs. */
export type WritableApi = Pick<ApiConnection, 'document' | 'write'>;

/** An object that was applied. Its uid is null from before it was created until that is known. */
export interface InventoryEntry {
  readonly kind: AppliedKind;
  readonly name: string;
  readonly uid: string | null;
}

const of = (group: string, resource: string, kind: AppliedKind): ApiResource => ({
  ...{ group, version: 'v1', resource, kind, namespaced: true },
});
const RESOURCES: { readonly [K in AppliedKind]: ApiResource } = {
  ConfigMap: of('', 'configmaps', 'ConfigMap'),
  Secret: of('', 'secrets', 'Secret'),
  Service: CACHED_KINDS.Service.resource,
  Deployment: CACHED_KINDS.Deployment.resource,
};

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
/** The status of a Deployment changes many times while it is rolled out: each change makes the read one too old. */
const TRIES = 50;

/**
 * Writes objects of one namespace under a fence (rule 4). An object is created by POST alone, which an object that is
 * there refuses; it is changed by an apply that carries uid and version of the read in which its stamp was compared, so
 * that whoever was frozen in between changes nothing, and what was deleted meanwhile is not made anew.
 */
export class FencedWriter {
  readonly #api: WritableApi;
  readonly #namespace: string;

  readonly #query: Readonly<Record<string, string>>;

  /** @param isTrial the API server is asked whether it would take each write, and nothing is changed */
  constructor(api: WritableApi, namespace: string, isTrial = false) {
    this.#api = api;
    this.#namespace = namespace;
    this.#query = { fieldManager: FIELD_MANAGER, ...(isTrial && { dryRun: 'All' }) };
  }

  /** An object as the API server has it now; null: there is none. */
  async read(kind: AppliedKind, name: string, signal: AbortSignal): Promise<ObjectFields | null> {
    const path = objectPath(RESOURCES[kind], { namespace: this.#namespace, name });
    const found = await this.#api.document(path, { signal }).catch(orNull(['absent']));
    return found !== null && isFields(found.value) ? found.value : null;
  }

  /**
   * Makes the object what is wanted, unless something newer made it. `mayCreate` throws where an object that is not there
   * must not be created any more.
   */
  async apply(
    wanted: (found: ObjectFields | null) => AppliedObject,
    { kind, name }: Pick<InventoryEntry, 'kind' | 'name'>,
    { by, signal, mayCreate }: WriteTerms,
  ): Promise<InventoryEntry> {
    if (kind === 'Secret') return this.#applySecret(wanted(null), signal, mayCreate);
    const object = { kind, name, namespace: this.#namespace };
    let wasThere = false;
    for (let tries = 0; tries < TRIES; tries++) {
      signal.throwIfAborted();
      const found = await this.read(kind, name, signal);
      if (found === null) {
        if (wasThere) throw deletedMeanwhile(object);
        await mayCreate();
        signal.throwIfAborted();
        const created = await this.#create(wanted(null), signal);
        if (created !== null) return created;
        continue;
      }
      wasThere = true;
      compare(found, by, object);
      if (textAt(found, 'metadata.deletionTimestamp') !== null) throw stillDeleting(object);
      const changed = await this.#change(wanted(found), found, signal);
      if (changed !== null) return changed;
    }
    throw keepsChanging(object);
  }

  /**
   * Deletes what the inventory names, by its uid: another object of that name stays. Whoever has no `get` on Secrets deletes
   * one by its uid alone. Answers the uid of what was deleted, where it was read.
   */
  async remove(
    { kind, name, uid }: InventoryEntry,
    { by, signal }: Pick<WriteTerms, 'by' | 'signal'>,
  ): Promise<string | null> {
    const object = { kind, name, namespace: this.#namespace };
    if (kind === 'Secret') {
      await this.#delete(object, uid === null ? {} : { uid }, signal).catch(orNull(['conflict']));
      return null;
    }
    for (let tries = 0; tries < TRIES; tries++) {
      signal.throwIfAborted();
      const found = await this.read(kind, name, signal);
      if (found === null) return null;
      const { uid: foundUid, resourceVersion } = identityOf(found);
      const marks = marksIn(found);
      if ((uid !== null && uid !== foundUid) || marks?.service !== by.service) return null;
      if (isNewer(marks.stamp, by.stamp)) throw olderThan(by, marks);
      try {
        await this.#delete(object, { uid: foundUid, resourceVersion }, signal);
        return foundUid;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
    throw keepsChanging(object);
  }

  async #create(wanted: AppliedObject, signal: AbortSignal): Promise<InventoryEntry | null> {
    const path = listPath(RESOURCES[wanted.kind], { namespace: this.#namespace }, this.#query);
    const write = { method: 'POST', path, body: wanted } as const;
    return this.#api.write(write, { signal }).then((object) => entryOf(wanted, object), orNull(['conflict']));
  }

  /** Null: it is another one by now than the one that was read. */
  async #change(
    wanted: AppliedObject,
    found: ObjectFields,
    signal: AbortSignal,
  ): Promise<InventoryEntry | null> {
    const carrying = (read: ObjectFields) => ({
      ...wanted,
      metadata: { ...wanted.metadata, ...identityOf(read) },
    });
    try {
      const owned = this.#query.dryRun ? found : await this.#ownApplied(wanted, found, signal);
      return entryOf(wanted, await this.#patch(carrying(owned), signal));
    } catch (error) {
      if (error instanceof ApiFailure && error.problem.kind === 'absent') return null;
      if (!isConflict(error)) throw error;
      const { fields } = error.problem;
      const ofOthers = fields.filter(({ manager }) => manager !== FIELD_MANAGER);
      if (ofOthers.length > 0) throw fieldConflict({ ...wanted, ...wanted.metadata }, ofOthers);
      if (fields.length === 0) return null;
      // A trial has not made the fields of our POST those of an apply.
      return entryOf(wanted, await this.#patch(carrying(found), signal, { force: 'true' }));
    }
  }

  /**
   * A POST leaves its fields to us as an update: an apply would then conflict with ourselves, and could remove none of
   * them. They become those of an apply before the first.
   */
  async #ownApplied(
    { kind, metadata: { name } }: AppliedObject,
    found: ObjectFields,
    signal: AbortSignal,
  ): Promise<ObjectFields> {
    const managedFields = listAt(found, 'metadata.managedFields');
    if (!managedFields.some(isOwnUpdate)) return found;
    const applied = managedFields.map((one) => (isOwnUpdate(one) ? { ...one, operation: 'Apply' } : one));
    const path = objectPath(RESOURCES[kind], { namespace: this.#namespace, name });
    const body = { metadata: { ...identityOf(found), managedFields: applied } };
    const changed = await this.#api.write({ method: 'PATCH', path, body, contentType: MERGE }, { signal });
    return isFields(changed) ? changed : {};
  }

  /**
   * A Secret is never read, so that nobody need allow it. It never changes, and its name says the attempt: one that is
   * there takes the same apply, or refuses it.
   */
  async #applySecret(
    wanted: AppliedObject,
    signal: AbortSignal,
    mayCreate: () => Promise<void>,
  ): Promise<InventoryEntry> {
    await mayCreate();
    signal.throwIfAborted();
    return (await this.#create(wanted, signal)) ?? entryOf(wanted, await this.#patch(wanted, signal));
  }

  #patch(body: AppliedObject, signal: AbortSignal, more: Record<string, string> = {}): Promise<unknown> {
    const object = { namespace: this.#namespace, name: body.metadata.name };
    const query = new URLSearchParams({ ...this.#query, ...more });
    const path = `${objectPath(RESOURCES[body.kind], object)}?${query}`;
    return this.#api.write({ method: 'PATCH', path, body, contentType: APPLY }, { signal });
  }

  async #delete(
    { kind, name }: Pick<InventoryEntry, 'kind' | 'name'>,
    preconditions: object,
    signal: AbortSignal,
  ): Promise<void> {
    const path = objectPath(RESOURCES[kind], { namespace: this.#namespace, name });
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Background',
      preconditions,
    };
    await this.#api.write({ method: 'DELETE', path, body }, { signal }).catch(orNull(['absent']));
  }
}

/** The order that writes, and the conditions under which it may. */
interface WriteTerms {
  readonly by: DeployedMarks;
  /** The lease: once it is aborted nothing more is begun. */
  readonly signal: AbortSignal;
  readonly mayCreate: () => Promise<void>;
}

function compare(found: ObjectFields, by: DeployedMarks, object: Parameters<typeof notOurs>[0]): void {
  const marks = marksIn(found);
  if (marks?.service !== by.service) throw notOurs(object);
  if (isNewer(marks.stamp, by.stamp)) throw olderThan(by, marks);
}

function identityOf(object: ObjectFields): { readonly uid: string; readonly resourceVersion: string } {
  const resourceVersion = textAt(object, 'metadata.resourceVersion');
  if (resourceVersion === null) throw unidentified();
  return { uid: uidOf(object), resourceVersion };
}

function uidOf(object: ObjectFields): string {
  const uid = textAt(object, 'metadata.uid');
  if (uid === null) throw unidentified();
  return uid;
}

const unidentified = () =>
  new ApiFailure({
    kind: 'protocol',
    message: 'The API server’s answer about an object has no uid or version.',
  });

const isOwnUpdate = (entry: ObjectFields): boolean =>
  textAt(entry, 'manager') === FIELD_MANAGER &&
  textAt(entry, 'operation') === 'Update' &&
  textAt(entry, 'subresource') === null;

const entryOf = ({ kind, metadata: { name } }: AppliedObject, object: unknown): InventoryEntry => ({
  ...{ kind, name },
  uid: uidOf(isFields(object) ? object : {}),
});

const orNull =
  (kinds: readonly ClusterProblem['kind'][]) =>
  (error: unknown): null => {
    if (error instanceof ApiFailure && kinds.includes(error.problem.kind)) return null;
    throw error;
  };

function isConflict(
  error: unknown,
): error is ApiFailure & { readonly problem: Extract<ClusterProblem, { kind: 'conflict' }> } {
  return error instanceof ApiFailure && error.problem.kind === 'conflict';
}

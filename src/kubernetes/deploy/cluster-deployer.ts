import { setTimeout as wait } from 'node:timers/promises';
import { BadCommandLine, variablesIn } from '../../contract/command-line.ts';
import { IMAGE_DIGEST, nameOf } from '../../contract/names.ts';
import type { ApplyOrder, ApplyResult, RemoveResult } from '../../runtime/port.ts';
import { compareStamps, type FencedStamp } from '../../runtime/stamp.ts';
import { ApplyRefused } from '../../runtime/supervise/apply-refused.ts';
import { ApiFailure, clusterProblemOf } from '../api/problem.ts';
import { listPath } from '../api/resources.ts';
import { CACHED_KINDS } from '../cache/kinds.ts';
import { templateManagersOf } from '../cache/managed-by.ts';
import type { ObservedWorkload } from '../observe/workload.ts';
import { countAt, isFields, listAt, type ObjectFields, textAt } from '../verdict/fields.ts';
import { FencedWriter, type InventoryEntry, type WritableApi } from './fenced-writer.ts';
import {
  hasEntry,
  type InventoryRecord,
  inventoryName,
  mergedInventory,
  recordIn,
  recordObject,
} from './inventory-record.ts';
import { type DeployedMarks, FIELD_MANAGER, isNewer, marksIn, rolloutIn, rolloutOf } from './marks.ts';
import { type AppliedObject, objectsOf, podLabels } from './objects.ts';
import { olderThan, refusalOf } from './refusals.ts';

/** The cluster as its watches show it. */
interface ClusterView {
  workload(uid: string): ObservedWorkload | null;
  /**
   * It and everything that it made is proven gone, by what was observed since that monotonic instant. Null: its uid was
   * never known, so that no pod without an owner may be left either.
   */
  isGone(uid: string | null, since: number): boolean;
  /** Its pods of the current template cannot start by themselves, so that there is nothing to wait for. */
  isStuck(workload: ObservedWorkload): boolean;
  onChange(listener: () => void): () => void;
}

const AGAIN_MS = 500;
const STRAY_MS = 30_000;
/** Silence of a node, and of a watch, comes without an event. */
const LOOK_MS = 500;
/** An image by a tag: its digest is that of the first pod, if there is one by then (rule 15). */
const DIGEST_MS = 60_000;

/**
 * Brings orders about in one namespace. Everything durable is in the cluster: the record of the service and the stamps of
 * its objects, so that any agent may go on, and none that is behind changes anything.
 */
export class ClusterDeployer {
  readonly #api: WritableApi;
  readonly #view: ClusterView;
  readonly #say: (line: string) => void;

  constructor(api: WritableApi, view: ClusterView, say: (line: string) => void) {
    this.#api = api;
    this.#view = view;
    this.#say = say;
  }

  async apply(order: ApplyOrder, namespace: string, signal: AbortSignal): Promise<ApplyResult> {
    try {
      checkOrder(order);
      return await this.#persist(() => this.#applyOnce(order, namespace, signal), signal);
    } catch (error) {
      signal.throwIfAborted();
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      const { code, message, retrySafe } = refusal;
      return { kind: 'refused', code, message, retrySafe };
    }
  }

  /** Resolves when everything that was applied is gone, and every pod of it is proven gone (rule 6). */
  async remove(
    service: string,
    namespace: string,
    stamp: FencedStamp,
    signal: AbortSignal,
  ): Promise<RemoveResult> {
    signal.throwIfAborted();
    const removed = await this.#persist(
      () => this.#removeOnce({ service, stamp }, namespace, signal),
      signal,
    );
    const uids = removed.filter(({ kind }) => kind === 'Deployment').map(({ uid }) => uid);
    const since = performance.now();
    await this.#until(() => uids.every((uid) => this.#view.isGone(uid, since)), signal);
    return { contained: true };
  }

  /**
   * Deletes a Deployment that an older order made after its service was removed: a POST that was under way carries no
   * version (rule 4). What a newer order is still to apply is taken over by that.
   */
  async pruneStray(found: MarkedDeployment): Promise<void> {
    const signal = AbortSignal.timeout(STRAY_MS);
    const { name, namespace, uid, marks } = found;
    const writer = new FencedWriter(this.#api, namespace);
    try {
      const record = await writer.read('ConfigMap', inventoryName(marks.service), signal);
      const by = record === null ? null : marksIn(record);
      if (record === null || by === null || !recordIn(record).isRemoved || isNewer(marks.stamp, by.stamp))
        return;
      await writer.remove({ kind: 'Deployment', name, uid }, { by, signal });
      this.#say(
        `${marks.service}: deleted a Deployment that an older order made after the service was removed.`,
      );
    } catch (error) {
      this.#say(
        `${marks.service}: a Deployment of an older order could not be deleted. ${(error as Error).message}`,
      );
    }
  }

  async #applyOnce(order: ApplyOrder, namespace: string, signal: AbortSignal): Promise<ApplyResult> {
    const writer = new FencedWriter(this.#api, namespace);
    const { service, stamp } = order;
    const name = nameOf(service);
    const by = { service, stamp };
    const mayCreate = () => this.#assertCurrent(writer, by, signal);
    const objectsFor = (deployment: ObjectFields | null) => wantedOver(deployment, order, namespace);
    const objects = objectsFor(await writer.read('Deployment', name, signal));
    const wanted = objects.map((object) => ({ ...targetOf(object), uid: null }));
    // Refused by admission, by a quota or for a field of somebody else: nothing is changed then.
    const trial = new FencedWriter(this.#api, namespace, true);
    const free = { by, signal, mayCreate: async () => {} };
    await Promise.all(objects.map((object) => trial.apply(() => object, targetOf(object), free)));
    const before = await this.#take(
      writer,
      by,
      namespace,
      (former) => ({
        isRemoved: false,
        inventory: mergedInventory(former?.inventory ?? [], wanted),
      }),
      signal,
    );
    const applied: InventoryEntry[] = [];
    for (const object of objects) {
      // Another holder of this order may have made the Deployment since: its template is then kept.
      const wanted = (found: ObjectFields | null) =>
        object.kind !== 'Deployment' ? object : (objectsFor(found).at(-1) ?? object);
      applied.push(await writer.apply(wanted, targetOf(object), { by, signal, mayCreate }));
    }
    const left = await this.#prune(writer, by, { namespace, before, applied, signal });
    await this.#take(
      writer,
      by,
      namespace,
      () => ({
        isRemoved: false,
        inventory: mergedInventory(left, applied),
      }),
      signal,
    );
    const digest = await this.#digestOf(order, applied, signal);
    return {
      kind: 'applied',
      objects: applied.map(({ kind, name }) => ({ kind, name })),
      ...(digest !== null && { artifact: digest }),
    };
  }

  async #removeOnce(
    by: DeployedMarks,
    namespace: string,
    signal: AbortSignal,
  ): Promise<readonly InventoryEntry[]> {
    const writer = new FencedWriter(this.#api, namespace);
    try {
      const listed = await this.#take(
        writer,
        by,
        namespace,
        (former) => ({
          isRemoved: true,
          inventory: mergedInventory(namedAfter(by.service), former?.inventory ?? []),
        }),
        signal,
      );
      const removed: InventoryEntry[] = [];
      // The pods go first: what they are made of goes when nothing makes any more.
      for (const entry of listed.toReversed())
        removed.push({ ...entry, uid: (await writer.remove(entry, { by, signal })) ?? entry.uid });
      return removed;
    } catch (error) {
      // Something newer is there, which stays.
      if (error instanceof ApplyRefused && error.code === 'superseded') return [];
      // The namespace itself is gone, and everything with it.
      if (error instanceof ApiFailure && error.problem.kind === 'absent') return [];
      throw error;
    }
  }

  /** Puts the order on record, unless something newer is there. Answers what was applied before, and may be left. */
  async #take(
    writer: FencedWriter,
    by: DeployedMarks,
    namespace: string,
    next: (former: InventoryRecord | null) => InventoryRecord,
    signal: AbortSignal,
  ): Promise<readonly InventoryEntry[]> {
    let inventory: readonly InventoryEntry[] = [];
    const wanted = (found: ObjectFields | null): AppliedObject => {
      const record = next(found === null ? null : recordIn(found));
      if (found !== null) assertNotRemoved(found, by, record);
      inventory = record.inventory;
      return recordObject(by, namespace, record);
    };
    const target = { kind: 'ConfigMap' as const, name: inventoryName(by.service) };
    await writer.apply(wanted, target, { by, signal, mayCreate: async () => {} });
    return inventory;
  }

  /** A POST carries no version: what was removed or replaced since the order was put on record is not created. */
  async #assertCurrent(writer: FencedWriter, by: DeployedMarks, signal: AbortSignal): Promise<void> {
    const found = await writer.read('ConfigMap', inventoryName(by.service), signal);
    const marks = found === null ? null : marksIn(found);
    if (found === null || marks === null)
      throw new ApplyRefused('changed_meanwhile', 'The record of the service was deleted meanwhile.', true);
    if (isNewer(marks.stamp, by.stamp)) throw olderThan(by, marks);
    assertNotRemoved(found, by, { isRemoved: false });
  }

  /** Deletes what the service has no use for any more; answers the rest of it. */
  async #prune(
    writer: FencedWriter,
    by: DeployedMarks,
    { namespace, before, applied, signal }: PruneInput,
  ): Promise<readonly InventoryEntry[]> {
    const unwanted = before.filter((one) => !hasEntry(one, applied));
    if (unwanted.length === 0) return [];
    const used = await this.#usedByCopies(namespace, nameOf(by.service), signal);
    const kept = unwanted.filter(({ kind, name }) => used.has(`${kind}/${name}`));
    for (const entry of unwanted.filter((one) => !kept.includes(one)))
      await writer.remove(entry, { by, signal });
    return kept;
  }

  /** Variables of copies that are there yet: an app that is started again needs them. */
  async #usedByCopies(namespace: string, name: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const labelSelector = Object.entries(podLabels(name))
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
    const path = listPath(CACHED_KINDS.ReplicaSet.resource, { namespace }, { labelSelector });
    const { value } = await this.#api.document(path, { signal });
    const sets = isFields(value) ? listAt(value, 'items') : [];
    return new Set(sets.filter(hasCopies).flatMap(variablesOf));
  }

  /**
   * The digest that a tag came to mean. Waits for the first pod to say it, for as long as one may come; without it nothing
   * proves what runs, and the claim says so.
   */
  async #digestOf(
    { artifact, spec, stamp }: ApplyOrder,
    applied: readonly InventoryEntry[],
    signal: AbortSignal,
  ): Promise<string | null> {
    const uid = applied.find(({ kind }) => kind === 'Deployment')?.uid ?? null;
    if (IMAGE_DIGEST.test(artifact) || uid === null || spec.replicas === 0) return null;
    let digest: string | null = null;
    const ended = AbortSignal.any([signal, AbortSignal.timeout(DIGEST_MS)]);
    await this.#until(() => {
      const workload = this.#view.workload(uid);
      // Older than our apply: what is current there is of the order before.
      if (workload?.deployed === undefined || compareStamps(workload.deployed.stamp, stamp) !== 0)
        return false;
      const current = workload.instances.filter(({ revision }) => revision === 'current');
      digest = current.flatMap(({ digests }) => Object.values(digests))[0] ?? null;
      return digest !== null || this.#view.isStuck(workload);
    }, ended).catch(() => signal.throwIfAborted());
    return digest;
  }

  /** Looks after each change, and from time to time. */
  async #until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    while (!isSo()) {
      signal.throwIfAborted();
      const woken = new AbortController();
      const stop = this.#view.onChange(() => woken.abort());
      const either = AbortSignal.any([signal, woken.signal]);
      await wait(LOOK_MS, undefined, { signal: either }).catch(() => {});
      stop();
    }
  }

  /** An API server that does not answer comes back: what was done is found by its stamps, and the rest follows. */
  async #persist<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let said = false; ; ) {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ApplyRefused || !isPassing(error)) throw error;
        if (!said)
          this.#say(`${clusterProblemOf(error).message} It is tried again for as long as the lease holds.`);
        said = true;
        await wait(AGAIN_MS, undefined, { signal }).catch(() => {});
      }
    }
  }
}

/** A Deployment with the marks of a service. */
interface MarkedDeployment {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly marks: DeployedMarks;
}

interface PruneInput {
  readonly namespace: string;
  readonly before: readonly InventoryEntry[];
  readonly applied: readonly InventoryEntry[];
  readonly signal: AbortSignal;
}

/**
 * The objects of an order over the Deployment that is there. Where its template is kept its image is too: the order of a
 * scale names the digest that its tag came to mean, and would replace every copy by the same.
 */
function wantedOver(
  deployment: ObjectFields | null,
  order: ApplyOrder,
  namespace: string,
): readonly AppliedObject[] {
  const before = deployment === null ? null : rolloutIn(deployment);
  const rollout = rolloutOf(before, order);
  const isKept = deployment !== null && rollout === before && isOnlyOurs(deployment);
  const [app] = isKept ? listAt(deployment, 'spec.template.spec.containers') : [];
  const artifact = (app && textAt(app, 'image')) ?? order.artifact;
  return objectsOf({ ...order, artifact }, namespace, rollout);
}

const isOnlyOurs = (deployment: ObjectFields): boolean =>
  templateManagersOf(deployment).every((manager) => manager === FIELD_MANAGER);

const targetOf = ({ kind, metadata: { name } }: AppliedObject) => ({ kind, name });

function isPassing(error: unknown): boolean {
  const { kind } = clusterProblemOf(error);
  return kind === 'unreachable' || kind === 'timed_out' || kind === 'unavailable';
}

/**
 * The objects whose names follow from the service. They are looked for even if somebody has deleted the record: what runs
 * yet would else be called removed (S1).
 */
const namedAfter = (service: string): readonly InventoryEntry[] =>
  (['Service', 'Deployment'] as const).map((kind) => ({ kind, name: nameOf(service), uid: null }));

/** Refuses an order as old as the one that removed the service, or older: the service stays removed. */
function assertNotRemoved(
  found: ObjectFields,
  by: DeployedMarks,
  { isRemoved }: Pick<InventoryRecord, 'isRemoved'>,
): void {
  const marks = marksIn(found);
  if (isRemoved || marks === null || !recordIn(found).isRemoved) return;
  if (!isNewer(by.stamp, marks.stamp)) throw olderThan(by, marks);
}

function checkOrder({ artifact, spec }: ApplyOrder): void {
  if (spec.runtime !== undefined && spec.runtime !== 'kubernetes')
    throw new ApplyRefused('wrong_runtime', `This target runs kubernetes, and not ${spec.runtime}.`);
  if (artifact === '' || artifact.startsWith('sha256:'))
    throw new ApplyRefused(
      'image_required',
      'A cluster runs images: deploy one with --image, by its digest if you can.',
    );
  if (typeof spec.command !== 'string') return;
  try {
    const secret = variablesIn(spec.command).find((name) => typeof spec.env?.[name] === 'object');
    if (secret !== undefined)
      throw new ApplyRefused('secret_in_arguments', `The command names ${secret}, which is a secret.`);
  } catch (error) {
    if (error instanceof BadCommandLine) throw new ApplyRefused('command_invalid', error.message);
    throw error;
  }
}

const hasCopies = (set: ObjectFields): boolean =>
  (countAt(set, 'spec.replicas') ?? 1) > 0 || (countAt(set, 'status.replicas') ?? 0) > 0;

function variablesOf(set: ObjectFields): readonly string[] {
  return listAt(set, 'spec.template.spec.containers')
    .flatMap((container) => listAt(container, 'envFrom'))
    .flatMap((from) => {
      const [map, secret] = [textAt(from, 'configMapRef.name'), textAt(from, 'secretRef.name')];
      return [
        ...(map === null ? [] : [`ConfigMap/${map}`]),
        ...(secret === null ? [] : [`Secret/${secret}`]),
      ];
    });
}

import type { Caller } from '../access/caller.ts';
import type { RevisionIntent, Stamp, StartCommand } from '../contract/intent.ts';
import { type Answer, invalid, noService, problem } from '../contract/problem.ts';
import type { Door } from '../evidence/door/door.ts';
import type { Host } from '../evidence/door/host.ts';
import { recordRevision } from '../evidence/door/record-revision.ts';
import type { ServiceFile } from '../evidence/door/service-file.ts';
import { builtBy } from '../evidence/past/built.ts';
import { lastGood } from '../evidence/past/last-good.ts';
import { bytesOf, elsewhereRefusal, lastGoodRefusal, unreadable } from '../projection/refusals.ts';
import { isIntact, readable } from '../store/broken-row.ts';
import type { RevisionRow } from '../store/schema.ts';
import { type Acted, act, actorOf, type RequestKey } from './acted.ts';
import { changesBetween } from './configuration.ts';
import { configurationOf } from './configuration-of.ts';

/** Caps the stamps that a chain of scalings carries along; beyond it, the oldest instances are replaced. */
const STAMPS_ACCEPTED = 64;

type DerivedIntent = Omit<RevisionIntent, 'revision' | 'createdAt'>;
type Derived = Answer<{ readonly intent: DerivedIntent }>;

/** Restart: a new revision with the same artifact and spec. Builds nothing. */
export function restart(
  host: Host,
  caller: Caller,
  service: string,
  key: RequestKey | null = null,
): Promise<Answer<Acted>> {
  return derive(host, caller, service, key, 'restart', async (door, file) => derived(door, file));
}

/**
 * Scale: a new revision that keeps the running instances: it accepts the stamps of the one it derives from.
 */
export function scale(
  host: Host,
  caller: Caller,
  service: string,
  replicas: number,
  key: RequestKey | null = null,
): Promise<Answer<Acted>> {
  return derive(host, caller, service, key, 'scale', async (door, file) => {
    if (!Number.isInteger(replicas) || replicas < 0 || replicas > 10_000) {
      return invalid(['replicas: a whole number from 0 to 10000']);
    }
    const base = await derived(door, file);
    if (!base.ok) return base;
    const own: Stamp = { revision: file.active?.revision ?? 0, attempt: file.active?.attempt.attempt ?? 0 };
    const accepts = [...(file.activeIntent?.accepts ?? []), own].slice(-STAMPS_ACCEPTED);
    return {
      ok: true,
      intent: { ...base.intent, replicas, accepts, spec: { ...base.intent.spec, replicas } },
    };
  });
}

/** Rollback: a new revision with an old artifact and spec, and the replicas there are. Builds nothing. */
export function rollback(
  host: Host,
  caller: Caller,
  service: string,
  to: number | null,
  key: RequestKey | null = null,
): Promise<Answer<Acted>> {
  return derive(host, caller, service, key, 'rollback', async (door, file) => {
    const { tx, org } = door;
    const { activeIntent } = file;
    if (activeIntent === undefined) return unreadable();
    const elsewhere = elsewhereRefusal(activeIntent, file.proven.observed);
    if (elsewhere !== null) return elsewhere;
    const row =
      to === null
        ? await lastGood(tx, org, file.service, activeIntent)
        : await tx.get('revisions', { org, service: file.service, revision: to });
    const refusal = lastGoodRefusal(to ?? readable(row).revision ?? null);
    if (refusal !== null) return refusal;
    if (row === undefined) return problem('not_found', `No revision ${to}.`, { revision: to ?? 0 });
    if (!isIntact(row)) return problem('state_unknown', `What is recorded of revision ${to} cannot be read.`);
    const from = await fromRow(door, file, row);
    return from.ok ? { ok: true, intent: withReplicasOf(activeIntent, from.intent) } : from;
  });
}

/** A rollback leaves the replicas as they are; what was torn down gets those of the revision it goes back to. */
function withReplicasOf(active: RevisionRow, intent: DerivedIntent): DerivedIntent {
  if (active.kind === 'teardown') return intent;
  const { replicas: _replicas, ...spec } = intent.spec;
  const { replicas } = active.spec;
  return {
    ...intent,
    replicas: active.replicas,
    spec: { ...spec, ...(replicas === undefined ? {} : { replicas }) },
  };
}

function derive(
  host: Host,
  caller: Caller,
  ref: string,
  key: RequestKey | null,
  kind: 'restart' | 'scale' | 'rollback',
  base: (door: Door, file: ServiceFile) => Promise<Derived>,
): Promise<Answer<Acted>> {
  return act(host, caller, ref, key, async (door, file) => {
    if (file === null) return noService();
    const from = await base(door, file);
    if (!from.ok) return from;
    const { actor, source, correlation } = actorOf(caller);
    const former = await configurationOf(door, file);
    const revision = await recordRevision(door, file, { ...from.intent, kind, actor, correlation }, source, {
      queued: false,
    });
    const { derivesFrom } = from.intent;
    const rolledBackTo = kind === 'rollback' && derivesFrom != null ? { rolledBackTo: derivesFrom } : {};
    const changes = changesBetween(former?.spec ?? null, from.intent.spec);
    return { ok: true, revision, attempt: 1, changes, ...rolledBackTo };
  });
}

/** The intent of the active revision, as the base of another. */
async function derived(door: Door, file: ServiceFile): Promise<Derived> {
  const { activeIntent } = file;
  if (activeIntent === undefined) return unreadable();
  return elsewhereRefusal(activeIntent, file.proven.observed) ?? fromRow(door, file, activeIntent);
}

/**
 * The base of a configuration change: the active revision. A source that was never built is built with the new
 * configuration: often its build failed for want of it.
 */
export async function configurable(door: Door, file: ServiceFile): Promise<Derived> {
  const base = await derived(door, file);
  const { activeIntent } = file;
  if (base.ok || base.code !== 'no_artifact' || activeIntent?.origin.kind !== 'source') return base;
  const { org: _org, service: _service, revision: _, createdAt: _createdAt, ...intent } = activeIntent;
  return { ok: true, intent };
}

async function fromRow(door: Door, file: ServiceFile, row: RevisionRow): Promise<Derived> {
  const found = await builtBy(door.tx, door.org, file.service, row.revision);
  const bytes = bytesOf(row, found?.artifact ?? null);
  if (!bytes.ok) return bytes;
  const { org: _org, service: _service, revision: _revision, createdAt: _createdAt, ...intent } = row;
  const port = row.port === 'auto' ? (found?.port ?? null) : row.port;
  // mutant: command-of-base
  const command = row.spec.command ?? row.command ?? found?.command ?? null;
  const derivation = { derivesFrom: row.revision, contentOf: row.contentOf ?? row.revision };
  return { ok: true, intent: { ...intent, ...derivation, origin: bytes.origin, port, command, accepts: [] } };
}

export interface DetectedPlan {
  readonly port: number | null;
  readonly command: StartCommand | null;
}

/**
 * The plan that the build of these bytes found, in any revision of the service. If retention has moved that
 * out, the revision that runs them still carries the parts that its own spec left open.
 */
export async function detectedPlan(
  door: Door,
  file: ServiceFile,
  artifact: string,
  runs?: Pick<RevisionIntent, 'spec' | 'port' | 'command'>,
): Promise<DetectedPlan> {
  const where = { org: door.org, service: file.service, artifact };
  const attempts = await door.tx.select('attempts', where, { order: 'revision' });
  const carried = typeof runs?.port === 'number' && typeof runs.spec.port !== 'number' ? runs.port : null;
  return {
    port: attempts.map((row) => readable(row).port).find((port) => port != null) ?? carried,
    command:
      attempts.map((row) => readable(row).command).find((command) => command != null) ??
      (runs?.spec.command === undefined ? (runs?.command ?? null) : null),
  };
}

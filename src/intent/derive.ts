import type { Origin, RevisionIntent, Stamp, StartCommand } from '../contract/intent.ts';
import { IMAGE_DIGEST } from '../contract/names.ts';
import { type Answer, invalid, problem } from '../contract/problem.ts';
import type { Caller } from '../evidence/door/caller.ts';
import type { Door } from '../evidence/door/door.ts';
import type { Host } from '../evidence/door/host.ts';
import { recordRevision } from '../evidence/door/record-revision.ts';
import type { ServiceFile } from '../evidence/door/service-file.ts';
import { builtBy } from '../evidence/past/built.ts';
import { lt, type ReadTx } from '../store/port.ts';
import type { RevisionRow } from '../store/schema.ts';
import { type Acted, act, actorOf, type Idempotency } from './acted.ts';

/** Stamps that a chain of scalings carries along; beyond it, the oldest instances are replaced. */
const STAMPS_ACCEPTED = 64;

type Derived = Answer<{ readonly intent: Omit<RevisionIntent, 'revision' | 'createdAt'> }>;

/** Restart: a new revision with the same artifact and spec. Builds nothing. */
export function restart(
  host: Host,
  caller: Caller,
  service: string,
  key: Idempotency | null = null,
): Promise<Answer<Acted>> {
  return derive(host, caller, service, key, 'restart', async (door, file) => derived(door, file));
}

/** Scale: a new revision that keeps the instances there are: it accepts the stamps of the one it derives from. */
export function scale(
  host: Host,
  caller: Caller,
  service: string,
  replicas: number,
  key: Idempotency | null = null,
): Promise<Answer<Acted>> {
  return derive(host, caller, service, key, 'scale', async (door, file) => {
    if (!Number.isInteger(replicas) || replicas < 0 || replicas > 10_000) {
      return invalid(['replicas: a whole number from 0 to 10000']);
    }
    const base = await derived(door, file);
    if (!base.ok) return base;
    const own: Stamp = { revision: file.active?.revision ?? 0, attempt: file.active?.attempt.attempt ?? 0 };
    const accepts = [...(file.asked?.accepts ?? []), own].slice(-STAMPS_ACCEPTED);
    return {
      ok: true,
      intent: { ...base.intent, replicas, accepts, spec: { ...base.intent.spec, replicas } },
    };
  });
}

/** Rollback: a new revision with an old artifact and spec. Builds nothing. */
export function rollback(
  host: Host,
  caller: Caller,
  service: string,
  to: number | null,
  key: Idempotency | null = null,
): Promise<Answer<Acted>> {
  return derive(host, caller, service, key, 'rollback', async (door, file) => {
    const { tx, org } = door;
    if (isObserved(file)) return managedElsewhere();
    const row =
      to === null
        ? await lastGood(tx, org, file.service, file.active?.revision ?? 0)
        : await tx.get('revisions', { org, service: file.service, revision: to });
    if (row === undefined) {
      return to === null
        ? problem('nothing_to_roll_back', 'No earlier revision has succeeded.')
        : problem('not_found', `There is no revision ${to}.`, { revision: to });
    }
    return fromRow(door, file, row);
  });
}

function derive(
  host: Host,
  caller: Caller,
  ref: string,
  key: Idempotency | null,
  kind: 'restart' | 'scale' | 'rollback',
  base: (door: Door, file: ServiceFile) => Promise<Derived>,
): Promise<Answer<Acted>> {
  return act(host, caller, ref, key, async (door, file) => {
    if (file === null) return problem('not_found', 'There is no such service.');
    const from = await base(door, file);
    if (!from.ok) return from;
    const { actor, source, correlation } = actorOf(caller);
    const revision = await recordRevision(door, file, { ...from.intent, kind, actor, correlation }, source, {
      queued: false,
    });
    return { ok: true, revision, attempt: 1 };
  });
}

/** What the active revision runs, as the start of another. */
export async function derived(door: Door, file: ServiceFile): Promise<Derived> {
  const { asked } = file;
  if (asked === undefined) return problem('not_found', 'There is no such service.');
  return isObserved(file) ? managedElsewhere() : fromRow(door, file, asked);
}

const isObserved = ({ asked }: ServiceFile) => asked?.origin.kind === 'observe';
const managedElsewhere = () => problem('managed_elsewhere', 'Another tool manages this service; act there.');

async function fromRow(door: Door, file: ServiceFile, row: RevisionRow): Promise<Derived> {
  const found = await builtBy(door.tx, door.org, file.service, row.revision);
  const origin = pinned(row.origin, found?.artifact ?? null);
  if (origin === null)
    return problem('no_artifact', `Revision ${row.revision} has no artifact to run.`, {
      revision: row.revision,
    });
  const { org: _org, service: _service, revision: _revision, createdAt: _createdAt, ...intent } = row;
  const port = row.port === 'auto' ? (found?.port ?? null) : row.port;
  // mutant: command-of-base
  const command = row.spec.command ?? row.command ?? found?.command ?? null;
  return { ok: true, intent: { ...intent, origin, port, command, accepts: [] } };
}

/** The bytes, and no longer where they came from: a source becomes its artifact, a tag becomes its digest. */
function pinned(origin: Origin, artifact: string | null): Origin | null {
  switch (origin.kind) {
    case 'artifact':
      return origin;
    case 'source':
      return artifact === null ? null : { kind: 'artifact', digest: artifact };
    case 'image': {
      const digest = artifact === null ? null : (IMAGE_DIGEST.exec(artifact)?.[1] ?? artifact);
      if (IMAGE_DIGEST.test(origin.image) || digest === null) return origin;
      return { kind: 'image', image: `${origin.image.replace(/:[^/:]*$/, '')}@${digest}` };
    }
    case 'observe':
    case 'none':
      return null;
  }
}

export interface Plan {
  readonly port: number | null;
  readonly command: StartCommand | null;
}

/**
 * What the build of these bytes found, in whichever revision of the service that was. Where that has moved out
 * (retention), the revision that runs them still carries what its own spec had left to be found.
 */
export async function detectedPlan(
  door: Door,
  file: ServiceFile,
  artifact: string,
  runs?: Pick<RevisionIntent, 'spec' | 'port' | 'command'>,
): Promise<Plan> {
  const where = { org: door.org, service: file.service, artifact };
  const attempts = await door.tx.select('attempts', where, { order: 'revision' });
  const carried = typeof runs?.port === 'number' && typeof runs.spec.port !== 'number' ? runs.port : null;
  return {
    port: attempts.find((a) => a.port !== null)?.port ?? carried,
    command:
      attempts.find((a) => a.command !== null)?.command ??
      (runs?.spec.command === undefined ? (runs?.command ?? null) : null),
  };
}

/** The newest revision below the active one that succeeded, was meant to run and was ours to apply. Almost always the first looked at. */
export async function lastGood(
  tx: ReadTx,
  org: string,
  service: string,
  active: number,
): Promise<RevisionRow | undefined> {
  let below = active;
  for (;;) {
    const [next] = await tx.select(
      'attempts',
      { org, service, outcome: 'succeeded', revision: lt(below) },
      { order: 'revision', descending: true, limit: 1 },
    );
    if (next === undefined) return undefined;
    below = next.revision;
    const row =
      next.kind === 'teardown' ? undefined : await tx.get('revisions', { org, service, revision: below });
    if (row !== undefined && row.replicas > 0 && row.origin.kind !== 'observe') return row;
  }
}

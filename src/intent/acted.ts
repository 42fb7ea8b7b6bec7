import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { Claim } from '../contract/claim.ts';
import { serviceRef } from '../contract/names.ts';
import { type Answer, noService, problem } from '../contract/problem.ts';
import { sourceOf } from '../evidence/door/bearer.ts';
import type { Door } from '../evidence/door/door.ts';
import type { Host } from '../evidence/door/host.ts';
import type { Prefetch } from '../evidence/door/prefetch.ts';
import type { ServiceFile } from '../evidence/door/service-file.ts';
import { throughDoor, throughDoorUnrecorded } from '../evidence/door/through-door.ts';
import { configuredBy } from '../evidence/past/configured-by.ts';
import { claim } from '../projection/claim.ts';
import { type JudgedRevision, unreadable } from '../projection/refusals.ts';
import { intact, isIntact, readable } from '../store/broken-row.ts';
import { changesBetween, type FieldChange } from './configuration.ts';

/** The answer to every action: the revision and attempt it is about, and the current claim. */
export interface Acted {
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  readonly replayed: boolean;
  /** Only of a rollback: the revision whose artifact and configuration it restores. */
  readonly rolledBackTo?: number;
  /** The fields in which its configuration differs from that of the revision before. */
  readonly changes?: readonly FieldChange[];
  /** The revision in progress whose place it takes. */
  readonly supersedes?: InProgress;
  readonly claim: Claim;
}

/** A revision in progress, and the person or program that requested it. */
export type InProgress = {
  readonly revision: number;
  readonly attempt: number;
  readonly since: string;
  readonly actor: string;
};

/** Makes a request idempotent: the same key and request again gives the same revision and attempt (S7, F01, F04). */
export interface Idempotency {
  readonly key: string;
  /** Method, path, canonical JSON and the digest of the source's bytes. */
  readonly fingerprint: string;
}

/** `dry_run`: the request is decided as if it were made, answered, and nothing of it is recorded. */
export type RequestKey = Idempotency | 'dry_run';

/** A key is forgotten a day after its request, by the store's clock; then it may be used again. */
export const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;

type Effect = Pick<Acted, 'revision' | 'attempt' | 'rolledBackTo' | 'changes' | 'supersedes'>;

/** The frame of an action: permission, key, then the effect, all in one transaction. */
export function act(
  host: Host,
  caller: Caller,
  ref: string,
  requestKey: RequestKey | null,
  effect: (door: Door, file: ServiceFile | null, service: string) => Promise<Answer<Effect>>,
): Promise<Answer<Acted>> {
  const service = serviceRef(ref);
  const idempotency = requestKey === 'dry_run' ? null : requestKey;
  const pass = requestKey === 'dry_run' ? throughDoorUnrecorded : throughDoor;
  const { org, name: token } = caller;
  const prefetch: Prefetch[] = [
    { table: 'services', keys: service === null ? [] : [{ org, service }] },
    { table: 'keys', keys: idempotency === null ? [] : [{ org, token, key: idempotency.key }] },
  ];
  return pass(
    host,
    org,
    async (door): Promise<Answer<Acted>> => {
      if (service === null)
        return problem('invalid_request', `“${ref}” is not a service name; write name or name@target.`);
      const allowed = authorize(caller, { operation: 'act', service });
      if (!allowed.ok) return allowed;
      const key = idempotency && { org, token, key: idempotency.key };
      const stored = key && (await door.tx.get('keys', key));
      const createdAt = readable(stored || undefined).createdAt ?? Number.NEGATIVE_INFINITY;
      const earlier = stored && door.at < createdAt + KEY_LIFETIME_MS ? stored : null;
      if (earlier) {
        // The earlier request cannot be read: a key is never used for two requests (S7).
        if (!isIntact(earlier))
          return problem('idempotency_conflict', 'This key was used for another request.');
        // mutant: idempotency-fingerprint
        if (earlier.fingerprint !== idempotency?.fingerprint) {
          return problem('idempotency_conflict', 'This key was used for another request.');
        }
        const file = await door.file(earlier.service);
        if (file === null) return noService();
        const { revision, attempt } = earlier;
        return answer(
          door,
          file,
          { revision, attempt, ...(await recordedEffect(door, file, revision)) },
          true,
        );
      }
      const found = await door.file(service);
      if (found?.unreadable) return unreadable();
      const done = await effect(door, found, service);
      if (!done.ok) return done;
      const { ok: _ok, ...effected } = done;
      const { revision, attempt } = effected;
      // mutant: idempotency-key-kept
      if (key && idempotency) {
        const { fingerprint } = idempotency;
        const row = { ...key, fingerprint, service, revision, attempt, made: null, createdAt: door.at };
        await (stored ? door.tx.update('keys', key, {}, row) : door.tx.insert('keys', row));
      }
      const file = await door.file(service);
      if (file === null) return noService();
      return answer(door, file, effected, false);
    },
    { prefetch, caller },
  );
}

/** The effect of an earlier request, by what is recorded of its revision. */
async function recordedEffect(
  { tx, org }: Door,
  { service }: ServiceFile,
  revision: number,
): Promise<Pick<Effect, 'rolledBackTo' | 'changes'>> {
  const row = intact(await tx.get('revisions', { org, service, revision }));
  if (row === undefined || row.kind === 'teardown') return {};
  const before = await configuredBy(tx, org, service, revision);
  const from = row.kind === 'rollback' ? (row.derivesFrom ?? null) : null;
  return {
    changes: changesBetween(before?.spec ?? null, row.spec),
    ...(from === null ? {} : { rolledBackTo: from }),
  };
}

function answer(door: Door, file: ServiceFile, effect: Effect, replayed: boolean): Answer<Acted> {
  return {
    ok: true,
    service: file.service,
    ...effect,
    replayed,
    claim: claim(file.intent, file.facts, door.at),
  };
}

export const actorOf = (caller: Caller) => ({
  actor: caller.name,
  source: sourceOf(caller, 'api'),
  correlation: caller.correlation ?? null,
});

/** The subject that a verb decides on; null if it cannot be read. */
export function subjectOf(file: ServiceFile, at: number): JudgedRevision | null {
  const { active, activeIntent, facts } = file;
  if (active === undefined || activeIntent === undefined) return null;
  return { intent: activeIntent, revision: active, facts, standing: file.standing(at) };
}

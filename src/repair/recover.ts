import { compareDigits, type Digits, ZERO } from '../contract/digits.ts';
import { newestOnRecord, orgsWithoutHead } from '../evidence/door/head-read.ts';
import type { Host } from '../evidence/door/host.ts';
import { VOID_POSITIONS } from '../evidence/door/ledger-writer.ts';
import { lastBeat } from '../evidence/door/liveness.ts';
import { OPEN_COMMAND } from '../evidence/door/new-command.ts';
import { type OpenDoor, openDoor } from '../evidence/door/open-door.ts';
import type { OrgTransaction } from '../evidence/door/org-transaction.ts';
import { requeue } from '../evidence/door/requeue.ts';
import { targetFiles } from '../evidence/report/register.ts';
import { pick, readable } from '../store/broken-row.ts';
import { Conflict, type Tx } from '../store/port.ts';
import type { Identity, IncarnationBegin, IncarnationRow } from '../store/schema.ts';

/** The beginning of a new incarnation of the store, and how far the one that ended is known to have been. */
export interface Recovery {
  readonly id: string;
  readonly why: Exclude<IncarnationBegin, 'created'>;
  readonly reason: string;
  readonly actor: string;
  readonly identity: Identity | null;
  /** The newest numbers of each org by the witness, where the database may have lost them. */
  readonly known: Readonly<Record<string, Reach>>;
}

export interface Reach {
  readonly position: Digits;
  readonly floor: number;
}

/** The effect of a recovery on one org. */
export interface RecoveredOrg {
  readonly org: string;
  readonly services: number;
  readonly leases: number;
  readonly void: { readonly from: Digits; readonly to: Digits };
}

/**
 * The store may have lost what it had confirmed. All of it in one transaction over every org, because half a
 * recovery would look like none to whoever looks next: leases are void, numbers jump over what was lost, nobody
 * speaks for a target before registering again, and each service is `unknown` until it is seen (F44, F54).
 * Rejected: one transaction per org, which would not hold the others up for as long.
 */
export async function recover(tx: Tx, host: Host, recovery: Recovery): Promise<RecoveredOrg[]> {
  await beginIncarnation(tx, recovery);
  for (const org of await orgsWithoutHead(tx)) await makeHead(tx, org);
  const orgs = new Set((await tx.select('heads', {})).flatMap((head) => readable(head).org ?? []));
  for (const org of Object.keys(recovery.known)) orgs.add(org);
  const done: RecoveredOrg[] = [];
  for (const org of [...orgs].sort()) {
    const door = await openDoor(tx, host, org);
    done.push(await recoverOrg(door, recovery));
    await door.close();
  }
  return done;
}

/** Creates a head where the rows that are left end: the jump goes beyond what else there may have been. */
async function makeHead(tx: Tx, org: string): Promise<void> {
  const { position, at } = (await newestOnRecord(tx, org)) ?? { position: ZERO, at: 0 };
  await tx.insert('heads', { org, position, at, recoveredAt: null, floor: 0 });
}

/**
 * Begins an incarnation. Of two servers that begin one at the same time the second finds the first's, and has to look
 * again.
 */
export async function beginIncarnation(
  tx: Tx,
  { id, why, identity }: Pick<IncarnationRow, 'id' | 'why'> & { readonly identity: Identity | null },
): Promise<void> {
  const [last] = await tx.select('incarnations', {}, { order: 'ordinal', descending: true, limit: 1 });
  const begun = await tx.insert('incarnations', {
    ordinal: (readable(last).ordinal ?? 0) + 1,
    id,
    at: await tx.now(),
    why,
    system: identity?.system ?? null,
    timeline: identity?.timeline ?? null,
  });
  if (!begun) throw new Conflict('another incarnation began');
}

async function recoverOrg(door: OpenDoor, { known, reason, actor }: Recovery): Promise<RecoveredOrg> {
  const { org, tx } = door;
  const floor = (await highestHandedOut(door, known[org]?.floor ?? 0)) + VOID_POSITIONS;
  // First of all: what settles below, at instants before the recovery, must not take positions that were lost.
  const jumped = door.skipLostPositions(known[org]?.position ?? ZERO, floor);
  const targets = new Set(
    (await tx.select('services', { org })).flatMap((row) => readable(row).target ?? []),
  );
  const files = [];
  for (const target of [...targets].sort()) files.push(...(await targetFiles(door, target)));
  const leases = await tx.select('leases', { org, endedAt: null }, { order: 'id' });
  for (const lease of leases) await requeue(door, lease, 'recovery', actor);
  await raiseAboveVoid(door, floor);
  const { id } = await door.append({
    kind: 'operator.acted',
    source: { role: 'operator', name: actor, instance: 'recovery' },
    body: {
      action: 'store.recovered',
      reason,
      actor,
      void: jumped,
      lost: { from: await onRecordUntil(door), to: door.at },
    },
  });
  await tx.insert('recoveries', { org, at: door.at, ...jumped, evidence: id });
  for (const file of files) {
    file.liveness = { ...file.liveness, lease: null, recoveredAt: door.at };
    await door.rejudge(file, 'operator', id);
  }
  return { org, services: files.length, leases: leases.length, void: jumped };
}

/**
 * The newest instant of which this copy knows anything: a row, a report, or that a server was awake. Servers beat every
 * second, so that calm leaves its trace, too: what is told of instants up to here is not lost, however calm they were.
 */
async function onRecordUntil({ org, tx, head, at }: OrgTransaction): Promise<number> {
  const scopes = await tx.select('scopes', { org });
  const agents = await tx.select('agents', { org });
  const heard = [
    ...scopes.map((row) => readable(row).receivedAt),
    ...agents.map((row) => readable(row).seenAt),
  ];
  const known = [head.at, await lastBeat(tx), ...heard].filter(
    (t): t is number => t !== undefined && t <= at,
  );
  return Math.max(...known);
}

/** The highest number of any kind that is known to have been handed out. */
async function highestHandedOut(door: OrgTransaction, known: number): Promise<number> {
  const { org, tx, head } = door;
  let high = Math.max(known, head.floor);
  for (const row of await tx.select('commands', { org, state: OPEN_COMMAND }))
    high = Math.max(high, Number(readable(row).fence ?? 0));
  for (const row of await tx.select('agents', { org }))
    high = Math.max(high, Number(readable(row).epoch ?? 0));
  for (const row of await tx.select('services', { org })) high = Math.max(high, readable(row).newest ?? 0);
  return high;
}

/**
 * Work that goes on is leased above the void. An agent that the ledger believes to be current may have been
 * fenced in what was lost: nobody speaks for a target until somebody registers there again.
 */
async function raiseAboveVoid({ org, tx }: OrgTransaction, floor: number): Promise<void> {
  const above = String(floor);
  for (const row of await tx.select('commands', { org, state: OPEN_COMMAND })) {
    const command = pick(row, 'id', 'fence');
    if (command === undefined) continue;
    const { id, fence } = command;
    await tx.update('commands', { org, id }, { fence }, { fence: above });
  }
  for (const row of await tx.select('agents', { org })) {
    const agent = pick(row, 'target', 'epoch');
    if (agent === undefined) continue;
    const { target, epoch } = agent;
    if (compareDigits(epoch, above) < 0)
      await tx.update('agents', { org, target }, { epoch }, { epoch: above, instance: '' });
  }
}

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

/** The beginning of a new incarnation of the store, and the last recorded numbers of the one that ended. */
export interface Recovery {
  readonly id: string;
  readonly why: Exclude<IncarnationBegin, 'created'>;
  readonly reason: string;
  readonly actor: string;
  readonly identity: Identity | null;
  /** The newest numbers of each org by the witness, if the database may have lost them. */
  readonly reached: Readonly<Record<string, Reach>>;
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
 * Recovers a store that may have lost confirmed writes. All orgs in one transaction, because half a recovery
 * would look like none to the next look: leases are void, numbers jump over the lost ones, no target has a
 * current agent before one registers again, and each service is `unknown` until it is observed (F44, F54).
 * Rejected: one transaction per org, which would lock the others for a shorter time.
 */
export async function recover(tx: Tx, host: Host, recovery: Recovery): Promise<RecoveredOrg[]> {
  await beginIncarnation(tx, recovery);
  for (const org of await orgsWithoutHead(tx)) await createHead(tx, org);
  const orgs = new Set((await tx.select('heads', {})).flatMap((head) => readable(head).org ?? []));
  for (const org of Object.keys(recovery.reached)) orgs.add(org);
  const done: RecoveredOrg[] = [];
  for (const org of [...orgs].sort()) {
    const door = await openDoor(tx, host, org);
    done.push(await recoverOrg(door, recovery));
    await door.close();
  }
  return done;
}

/** Creates a head at the end of the remaining rows: the jump goes beyond all that may have been lost. */
async function createHead(tx: Tx, org: string): Promise<void> {
  const { position, at } = (await newestOnRecord(tx, org)) ?? { position: ZERO, at: 0 };
  await tx.insert('heads', { org, position, at, recoveredAt: null, floor: 0 });
}

/**
 * Begins an incarnation. If two servers begin one at the same time, the second finds the first's, and has to
 * look again.
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

async function recoverOrg(door: OpenDoor, { reached, reason, actor }: Recovery): Promise<RecoveredOrg> {
  const { org, tx } = door;
  const floor = (await highestIssued(door, reached[org]?.floor ?? 0)) + VOID_POSITIONS;
  // Comes first: settling below, at instants before the recovery, must not take positions that were lost.
  const jumped = door.skipLostPositions(reached[org]?.position ?? ZERO, floor);
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
      lost: { from: await newestRecorded(door), to: door.at },
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
 * The newest instant of which this copy has a record: a row, a report, or a beat. Servers beat every second,
 * so even a calm time leaves a record: nothing is lost up to this instant.
 */
async function newestRecorded({ org, tx, head, at }: OrgTransaction): Promise<number> {
  const scopes = await tx.select('scopes', { org });
  const agents = await tx.select('agents', { org });
  const contacts = [
    ...scopes.map((row) => readable(row).receivedAt),
    ...agents.map((row) => readable(row).seenAt),
  ];
  const instants = [head.at, await lastBeat(tx), ...contacts].filter(
    (t): t is number => t !== undefined && t <= at,
  );
  return Math.max(...instants);
}

/** The highest number of any kind that is recorded as issued. */
async function highestIssued(door: OrgTransaction, reached: number): Promise<number> {
  const { org, tx, head } = door;
  let high = Math.max(reached, head.floor);
  for (const row of await tx.select('commands', { org, state: OPEN_COMMAND }))
    high = Math.max(high, Number(readable(row).fence ?? 0));
  for (const row of await tx.select('agents', { org }))
    high = Math.max(high, Number(readable(row).epoch ?? 0));
  for (const row of await tx.select('services', { org })) high = Math.max(high, readable(row).newest ?? 0);
  return high;
}

/**
 * Raises fences and epochs above the void. An agent that the ledger holds as current may have been fenced in
 * the lost part, so no target has a current agent until one registers again.
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

import assert from 'node:assert/strict';
import type { State } from '../../src/contract/vocabulary.ts';
import { intact, isIntact } from '../../src/store/broken-row.ts';
import type { CommandRow, LeaseRow } from '../../src/store/schema.ts';
import { type Agent, instance } from '../verbs/agent.ts';
import type { Platform } from '../verbs/driver.ts';
import { DIGEST, ORG, WEB } from '../verbs/names.ts';
import { Lease, type Taker } from '../verbs/taker.ts';

const ROUNDS = 12;

/**
 * Plays all parties from what is in the store alone until the claim reaches the state: the publisher publishes, holders
 * of leases finish their work, others acquire leases, the agent reports what runs, and a failed revision is retried.
 */
export async function finishDeployment(lab: Platform, until: State): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const { state } = await lab.claim();
    if (state === until) return;
    if (state === 'failed' || state === 'cancelled') await lab.retry();
    await lab.publish();
    await work(lab, lab.builder());
    const agent = await resumedAgent(lab);
    await work(lab, agent);
    await agent.sees(await runningInstances(lab));
    lab.now += 3_000;
    await lab.sweep();
    await agent.sees(await runningInstances(lab));
  }
  assert.equal((await lab.claim()).state, until, 'the deployment did not reach its last state');
}

/** Finishes the commands that it holds, then acquires and finishes others until there is none. */
async function work(lab: Platform, taker: Taker): Promise<void> {
  for (const { lease, command } of await openLeases(lab, taker)) {
    await finish(lab, new Lease(taker, { ...command, ...lease, ttlMs: 0 }), command);
  }
  for (let lease = await taker.acquire(); lease !== null; lease = await taker.acquire()) {
    await lease.heartbeat();
    await finish(lab, lease, await commandOf(lab, lease.offer.command));
  }
}

async function finish(lab: Platform, lease: Lease, command: CommandRow): Promise<void> {
  const id = `end-${lease.offer.id}`;
  if (command.cancelRequested) await lease.send('cancel.acknowledged', {}, { id });
  else if (command.kind === 'apply') await lease.send('runtime.applied', {}, { id });
  else if (command.kind === 'remove') await lease.send('runtime.removed', {}, { id });
  else {
    await lab.holds(DIGEST);
    await lease.send('artifact.stored', { digest: DIGEST, size: 1 }, { id });
  }
}

function openLeases(lab: Platform, { caller, instance }: Taker) {
  return lab.store.read(async (tx) => {
    const held: { lease: LeaseRow; command: CommandRow }[] = [];
    const leases = await tx.select('leases', { org: ORG, instance, endedAt: null }, { order: 'id' });
    for (const lease of leases.filter(isIntact)) {
      const command = intact(await tx.get('commands', { org: ORG, id: lease.command }));
      if (lease.caller === caller.name && command !== undefined) held.push({ lease, command });
    }
    return held;
  });
}

async function commandOf(lab: Platform, id: string): Promise<CommandRow> {
  const command = intact(await lab.store.read((tx) => tx.get('commands', { org: ORG, id })));
  assert.ok(command, id);
  return command;
}

/** The registered agent, with the sequence number of its last report. */
async function resumedAgent(lab: Platform): Promise<Agent> {
  const { row, scope } = await lab.store.read(async (tx) => ({
    row: intact(await tx.get('agents', { org: ORG, target: 'lab' })),
    scope: intact(await tx.get('scopes', { org: ORG, target: 'lab', scope: '*' })),
  }));
  const agent = await lab.agent('agent-lab', row?.instance ?? 'agent-lab-1').register();
  if (scope?.seqEpoch === agent.epoch) agent.seq = Number(scope.seq);
  return agent;
}

/** One instance of the revision applied last, or none if it was removed since. */
async function runningInstances(lab: Platform): Promise<object[]> {
  const done = await lab.store.read((tx) => tx.select('commands', { org: ORG, service: WEB, state: 'done' }));
  const newest = (kind: string) =>
    done
      .filter(isIntact)
      .filter((c) => c.kind === kind)
      .toSorted((a, b) => a.revision - b.revision || a.attempt - b.attempt)
      .at(-1);
  const [apply, remove] = [newest('apply'), newest('remove')];
  if (apply === undefined || (remove !== undefined && remove.revision > apply.revision)) return [];
  const { revision, attempt } = apply;
  return [instance(`u${revision}.${attempt}`, { revision, attempt })];
}

import { commandId, leaseId } from '../../src/contract/command-id.ts';
import type { CommandKind, State } from '../../src/contract/vocabulary.ts';
import { register } from '../../src/evidence/report/register.ts';
import { cancel } from '../../src/intent/cancel.ts';
import { restart } from '../../src/intent/derive.ts';
import { retry } from '../../src/intent/retry.ts';
import { teardown } from '../../src/intent/teardown.ts';
import { release } from '../../src/ownership/release.ts';
import { beat } from '../../src/repair/beat.ts';
import { type Agent, instance } from '../verbs/agent.ts';
import type { Platform } from '../verbs/driver.ts';
import { applying, artifactReady, building, running, starting, waiting } from '../verbs/life.ts';
import { DIGEST, SOURCE, WEB } from '../verbs/names.ts';
import { Lease, type Taker } from '../verbs/taker.ts';

/** The answers to a call that is repeated after the step was committed, each with the fields that identify it. */
export const REPEATED_ANSWERS = {
  'the same, replayed': { replayed: true },
  'the same verdict, duplicate': { verdict: 'admitted', duplicate: true },
  'the same offer': { fence: '1' },
  'the same epoch': { ok: true },
  'another heartbeat': { ok: true, ttlMs: 30_000 },
  'its sequence number, counted `out_of_order`': { ok: true, resync: false },
  '`lease_lost`': { ok: false, code: 'lease_lost' },
  'nothing left to do': null,
} as const;

/** A durable step of a deployment: the claim before it, its call, the claim after it, and the answer to a repeated call. */
export interface Step {
  readonly name: string;
  readonly faults: string;
  /** The state of the claim before and after the step. */
  readonly from: State | null;
  readonly to: State;
  readonly again: keyof typeof REPEATED_ANSWERS;
  /** The number of the call's transaction that is the step, 1 by default; those before it only prepare or try. */
  readonly transaction?: number;
  /** The state in which the deployment ends, `running` by default. */
  readonly ends?: State;
  prepare(lab: Platform): Promise<unknown>;
  /** Makes the same call each time: same key, same ids, same instance. */
  run(lab: Platform): Promise<unknown>;
}

const KEY = { key: 'k1', fingerprint: 'f1' };
const ana = (lab: Platform) => lab.caller('ana', 'deployer');

/** Advances the clock while the server stays awake: it sweeps more often than it has to. */
async function awake(lab: Platform, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 4_000) {
    lab.now += Math.min(4_000, left);
    if (left > 4_000) await lab.sweep();
  }
}

/** Sweeps without an answer: the time of the next sweep is no effect. */
async function sweeps(lab: Platform): Promise<void> {
  await lab.sweep();
}

/** The lease, reconstructed from its names alone: a process that starts again has nothing else. */
function held(taker: Taker, kind: CommandKind, revision = 1, fence = '1'): Lease {
  const command = commandId(WEB, revision, 1, kind);
  const id = leaseId(command, fence);
  return new Lease(taker, { id, command, kind, service: WEB, revision, attempt: 1, fence, ttlMs: 0 });
}

const builds = (lab: Platform) => held(lab.builder(), 'build');
const applies = (lab: Platform) => held(lab.agent(), 'apply');

/** The agent after `seq` reports of its first epoch. */
function agentAt(lab: Platform, seq: number): Agent {
  const agent = lab.agent();
  agent.epoch = '1';
  agent.seq = seq;
  agent.base = String(seq);
  return agent;
}

async function observedOnce(lab: Platform): Promise<void> {
  const agent = await starting(lab);
  await agent.sees([instance('u1')]);
  await lab.sweep();
}

async function removing(lab: Platform): Promise<void> {
  const agent = await running(lab);
  await lab.teardown();
  await lab.publish();
  await agent.take();
}

export const STEPS: readonly Step[] = [
  {
    name: 'intent recorded',
    faults: 'F01 F02 F03 F04',
    from: null,
    to: 'accepted',
    again: 'the same, replayed',
    prepare: (lab) => lab.sweep(),
    run: (lab) => lab.deploy(SOURCE, {}, { key: 'k1' }),
  },
  {
    name: 'newer intent supersedes',
    faults: 'F02 F04',
    from: 'building',
    to: 'accepted',
    again: 'the same, replayed',
    prepare: (lab) => building(lab),
    run: (lab) => lab.deploy(SOURCE, {}, { key: 'k2' }),
  },
  {
    name: 'restart recorded',
    faults: 'F02 F04',
    from: 'running',
    to: 'accepted',
    again: 'the same, replayed',
    prepare: (lab) => running(lab),
    run: (lab) => restart(lab.host, ana(lab), WEB, KEY),
  },
  {
    name: 'command published',
    faults: 'F05 F06',
    from: 'accepted',
    to: 'waiting_for_worker',
    again: 'nothing left to do',
    prepare: async (lab) => {
      await lab.sweep();
      await lab.deploy(SOURCE);
    },
    run: async (lab) => (await lab.publish()) || null,
  },
  {
    name: 'build offered',
    faults: 'F07',
    from: 'waiting_for_worker',
    to: 'waiting_for_worker',
    again: 'the same offer',
    prepare: (lab) => waiting(lab),
    run: async (lab) => (await lab.builder().offer()).offer,
  },
  {
    name: 'build acknowledged',
    faults: 'F07',
    from: 'waiting_for_worker',
    to: 'building',
    again: 'another heartbeat',
    transaction: 2,
    prepare: async (lab) => {
      await waiting(lab);
      await lab.builder().offer();
    },
    run: (lab) => builds(lab).heartbeat(),
  },
  {
    name: 'heartbeat',
    faults: 'F11',
    from: 'building',
    to: 'building',
    again: 'another heartbeat',
    prepare: async (lab) => {
      await building(lab);
      await awake(lab, 8_000);
    },
    run: (lab) => builds(lab).heartbeat(),
  },
  {
    name: 'progress reported',
    faults: 'F11 F13',
    from: 'building',
    to: 'building',
    again: 'the same verdict, duplicate',
    prepare: (lab) => building(lab),
    run: (lab) => builds(lab).send('build.progress', { step: 1, message: '' }, { id: 'p1' }),
  },
  {
    name: 'artifact stored, apply follows',
    faults: 'F02 F11 F13',
    from: 'building',
    to: 'artifact_ready',
    again: 'the same verdict, duplicate',
    prepare: async (lab) => {
      await building(lab);
      await lab.holds(DIGEST);
    },
    run: (lab) => builds(lab).send('artifact.stored', { digest: DIGEST, size: 1 }, { id: 'a1' }),
  },
  {
    name: 'build failed',
    faults: 'F11 F13',
    from: 'building',
    to: 'failed',
    again: 'the same verdict, duplicate',
    prepare: (lab) => building(lab),
    run: (lab) => builds(lab).send('build.failed', { code: 'build_failed', message: '' }, { id: 'b1' }),
  },
  {
    name: 'lease released',
    faults: 'F11',
    from: 'building',
    to: 'waiting_for_worker',
    again: '`lease_lost`',
    prepare: (lab) => building(lab),
    run: (lab) => {
      const { taker, offer } = builds(lab);
      return release(lab.host, taker.caller, offer.id, offer.fence, 'busy');
    },
  },
  {
    name: 'agent registered',
    faults: 'F64',
    from: 'artifact_ready',
    to: 'artifact_ready',
    again: 'the same epoch',
    prepare: (lab) => artifactReady(lab),
    run: (lab) => registers(lab, 'agent-lab-1'),
  },
  {
    name: 'newer agent takes over',
    faults: 'F64 F65',
    from: 'applying_runtime_state',
    to: 'artifact_ready',
    again: 'the same epoch',
    prepare: (lab) => applying(lab),
    run: (lab) => registers(lab, 'agent-lab-2'),
  },
  {
    name: 'apply acknowledged',
    faults: 'F07',
    from: 'artifact_ready',
    to: 'applying_runtime_state',
    again: 'another heartbeat',
    transaction: 2,
    prepare: async (lab) => {
      await artifactReady(lab);
      await (await lab.agent().register()).offer();
    },
    run: (lab) => applies(lab).heartbeat(),
  },
  {
    name: 'applied',
    faults: 'F10 F11 F13',
    from: 'applying_runtime_state',
    to: 'starting',
    again: 'the same verdict, duplicate',
    prepare: (lab) => applying(lab),
    run: (lab) => applies(lab).send('runtime.applied', {}, { id: 'a1' }),
  },
  {
    name: 'first observation',
    faults: 'F12 F13',
    from: 'starting',
    to: 'starting',
    again: 'its sequence number, counted `out_of_order`',
    transaction: 2,
    prepare: (lab) => starting(lab),
    run: (lab) => agentAt(lab, 0).sees([instance('u1')]),
  },
  {
    name: 'observation that proves running',
    faults: 'F12 F13',
    from: 'starting',
    to: 'running',
    again: 'its sequence number, counted `out_of_order`',
    transaction: 2,
    prepare: async (lab) => {
      await observedOnce(lab);
      lab.now += 3_000;
    },
    run: (lab) => agentAt(lab, 1).heartbeat(),
  },
  {
    name: 'calm report',
    faults: 'F11',
    from: 'running',
    to: 'running',
    again: 'its sequence number, counted `out_of_order`',
    prepare: async (lab) => {
      await running(lab);
      await awake(lab, 4_000);
    },
    run: (lab) => reportsCalmly(lab),
  },
  {
    name: 'silence settled by the sweeper',
    faults: 'F12 F13',
    from: 'unknown',
    to: 'unknown',
    again: 'nothing left to do',
    transaction: 2,
    prepare: async (lab) => {
      await running(lab);
      await awake(lab, 15_000);
    },
    run: sweeps,
  },
  {
    name: 'lapse recorded, command requeued',
    faults: 'F07',
    from: 'unknown',
    to: 'waiting_for_worker',
    again: 'nothing left to do',
    transaction: 2,
    prepare: async (lab) => {
      await building(lab);
      await awake(lab, 30_000);
    },
    run: sweeps,
  },
  {
    name: 'renewed lease put off by the sweeper',
    faults: 'F07',
    from: 'building',
    to: 'building',
    again: 'nothing left to do',
    transaction: 2,
    prepare: async (lab) => {
      await building(lab);
      await awake(lab, 6_000);
    },
    run: sweeps,
  },
  {
    name: 'offer not acknowledged',
    faults: 'F07',
    from: 'waiting_for_worker',
    to: 'waiting_for_worker',
    again: 'nothing left to do',
    transaction: 2,
    prepare: async (lab) => {
      await waiting(lab);
      await lab.builder().offer();
      await awake(lab, 5_000);
    },
    run: sweeps,
  },
  {
    name: 'stage timed out, fence revoked',
    faults: 'F13',
    from: 'building',
    to: 'failed',
    again: 'nothing left to do',
    transaction: 2,
    prepare: async (lab) => {
      await building(lab, { deadlines: { buildMs: 9_000 } });
      await awake(lab, 9_000);
    },
    run: sweeps,
  },
  {
    name: 'command withdrawn at its deadline',
    faults: 'F13',
    from: 'waiting_for_worker',
    to: 'failed',
    again: 'nothing left to do',
    transaction: 2,
    prepare: async (lab) => {
      await waiting(lab, { deadlines: { queueMs: 7_000 } });
      await awake(lab, 7_000);
    },
    run: sweeps,
  },
  {
    name: 'blindness recorded',
    faults: 'F39 F40',
    from: 'unknown',
    to: 'building',
    again: 'nothing left to do',
    prepare: async (lab) => {
      await building(lab);
      lab.sleep(60_000);
    },
    run: (lab) => beat(lab.host, 'sweeper-a'),
  },
  {
    name: 'cancelled, no lease was held',
    faults: 'F02 F04',
    from: 'waiting_for_worker',
    to: 'cancelled',
    again: 'the same, replayed',
    prepare: (lab) => waiting(lab),
    run: (lab) => cancel(lab.host, ana(lab), WEB, null, KEY),
  },
  {
    name: 'cancel requested of a holder',
    faults: 'F02 F04',
    from: 'building',
    to: 'cancelling',
    again: 'the same, replayed',
    prepare: (lab) => building(lab),
    run: (lab) => cancel(lab.host, ana(lab), WEB, null, KEY),
  },
  {
    name: 'cancel acknowledged',
    faults: 'F11 F13',
    from: 'cancelling',
    to: 'cancelled',
    again: 'the same verdict, duplicate',
    prepare: async (lab) => {
      await building(lab);
      await lab.cancel();
    },
    run: (lab) => builds(lab).send('cancel.acknowledged', {}, { id: 'c1' }),
  },
  {
    name: 'retry recorded',
    faults: 'F02 F04',
    from: 'failed',
    to: 'accepted',
    again: 'the same, replayed',
    prepare: async (lab) => (await building(lab)).fails(),
    run: (lab) => retry(lab.host, ana(lab), WEB, KEY),
  },
  {
    name: 'teardown recorded',
    faults: 'F02 F04',
    from: 'running',
    to: 'stopping',
    again: 'the same, replayed',
    ends: 'stopped',
    prepare: (lab) => running(lab),
    run: (lab) => teardown(lab.host, ana(lab), WEB, null, KEY),
  },
  {
    name: 'removed',
    faults: 'F10 F11',
    from: 'stopping',
    to: 'stopping',
    again: 'the same verdict, duplicate',
    ends: 'stopped',
    prepare: removing,
    run: (lab) => held(lab.agent(), 'remove', 2).send('runtime.removed', {}, { id: 'r1' }),
  },
  {
    name: 'absence observed',
    faults: 'F12 F13',
    from: 'stopping',
    to: 'stopped',
    again: 'its sequence number, counted `out_of_order`',
    transaction: 2,
    ends: 'stopped',
    prepare: async (lab) => {
      await removing(lab);
      await held(lab.agent(), 'remove', 2).removed();
    },
    run: (lab) => agentAt(lab, 2).sees([]),
  },
];

function registers(lab: Platform, name: string) {
  const { caller } = lab.agent('agent-lab', name);
  const registration = { agent: caller.name, instance: name, version: '1', identity: 'cluster-1' };
  return register(lab.host, caller, 'lab', registration);
}

/** Sends the heartbeat that follows the full report and the heartbeat of `running`. */
function reportsCalmly(lab: Platform) {
  const agent = agentAt(lab, 2);
  agent.base = '1';
  return agent.heartbeat();
}

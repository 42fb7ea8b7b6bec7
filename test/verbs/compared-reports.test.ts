import { describe, expect, it } from 'vitest';
import { ComparedReports } from '../../src/evidence/report/compared-reports.ts';
import { report } from '../../src/evidence/report/report.ts';
import type { Tx } from '../../src/store/port.ts';
import { Agent, instance } from './agent.ts';
import { DIGEST, image, type Lab, newLab } from './driver.ts';
import { BOTH, runningTwo } from './life.ts';

/** A server that remembers reports, on the lab's store; counts how often services were read to be compared. */
function remembering(lab: Lab) {
  let compared = 0;
  const watched = (tx: Tx): Tx =>
    new Proxy(tx, {
      get: (_, name: keyof Tx) => {
        const statement = (tx[name] as (...args: unknown[]) => Promise<unknown>).bind(tx);
        if (name !== 'select') return statement;
        return (...args: unknown[]) => {
          if (args[0] === 'services') compared += 1;
          return statement(...args);
        };
      },
    });
  const store = {
    read: lab.store.read.bind(lab.store),
    transact: <T>(work: (tx: Tx) => Promise<T>) => lab.store.transact((tx) => work(watched(tx))),
  };
  const host = { ...lab.host, store, compared: new ComparedReports() };
  const sees = async (agent: Agent, instances: readonly unknown[] = BOTH, more: object = {}) => {
    agent.seq += 1;
    compared = 0;
    const input = { epoch: agent.epoch, seq: String(agent.seq), complete: true, instances, services: [] };
    const answer = await report(host, agent.caller, 'lab', { ...input, ...more });
    if (!answer.ok) throw new Error(answer.detail);
    agent.base = String(agent.seq);
    return compared;
  };
  return { host, sees };
}

/** Two services run, and a report that shows them so was compared. */
async function calm() {
  const lab = newLab();
  const agent = await runningTwo(lab);
  const server = remembering(lab);
  await server.sees(agent);
  return { lab, agent, ...server };
}

const states = async (lab: Lab) => [(await lab.claim()).state, (await lab.claim('api@lab')).state];

describe('a full report with the content of one that showed no news', () => {
  it('is not compared again, and keeps its services fresh', async () => {
    const { lab, agent, sees } = await calm();
    const rows = [lab.count('ledger'), lab.count('transitions')];
    for (let n = 0; n < 8; n++) {
      await lab.tick(5_000);
      expect(await sees(agent, BOTH, { watchAgeMs: n })).toBe(0);
    }
    expect([lab.count('ledger'), lab.count('transitions')]).toEqual(rows);
    expect(await states(lab)).toEqual(['running', 'running']);
  });

  it('is compared where its content is another, and the one before it after that', async () => {
    const { lab, agent, sees } = await calm();
    expect(await sees(agent, [instance('u1')])).toBeGreaterThan(0);
    expect(await states(lab)).toEqual(['running', 'degraded']);
    expect(await sees(agent)).toBeGreaterThan(0);
    await lab.tick(3_000);
    await sees(agent);
    expect(await states(lab)).toEqual(['running', 'running']);
  });

  it('is compared after another server has recorded a change of its target', async () => {
    const { lab, agent, sees } = await calm();
    await agent.changes({ instances: [instance('u1', { ready: false })] });
    expect(await states(lab)).toEqual(['degraded', 'running']);
    expect(await sees(agent)).toBeGreaterThan(0);
    await lab.tick(3_000);
    await sees(agent);
    expect(await states(lab)).toEqual(['running', 'running']);
  });

  it('is compared after its own server has, and not after one about another target', async () => {
    const { lab, agent, host, sees } = await calm();
    const caller = lab.caller('agent-edge', 'agent');
    const elsewhere = await new Agent(lab, caller, 'agent-edge-1', 'edge').register();
    const other = { epoch: elsewhere.epoch, seq: '1', complete: true, instances: [], services: [] };
    const own = { ...host, store: lab.store };
    await report(own, elsewhere.caller, 'edge', other);
    await sees(agent);
    expect(await sees(agent)).toBe(0);
    agent.seq += 1;
    const change = {
      ...{ epoch: agent.epoch, seq: String(agent.seq), base: agent.base },
      changed: { instances: [instance('a1', { service: 'api@lab', ready: false })], services: [] },
      removed: { instances: [], services: [] },
    };
    await report(own, agent.caller, 'lab', change);
    expect(await states(lab)).toEqual(['running', 'degraded']);
    expect(await sees(agent)).toBeGreaterThan(0);
  });

  it('is compared where a service was recorded meanwhile, and after a minute', async () => {
    const { lab, agent, sees } = await calm();
    expect(await sees(agent)).toBe(0);
    await lab.deploy(image(`new@${DIGEST}`), {}, { service: 'new@lab' });
    expect(await sees(agent)).toBeGreaterThan(0);
    await sees(agent);
    expect(await sees(agent)).toBe(0);
    for (let n = 0; n < 12; n++) {
      await lab.tick(5_000);
      await agent.heartbeat();
    }
    expect(await sees(agent)).toBeGreaterThan(0);
  });
});

import { describe, expect, it } from 'vitest';
import type { Spec } from '../../src/contract/intent.ts';
import { type Agent, instance, route } from './agent.ts';
import { type Lab, newLab } from './driver.ts';
import { givesStored, restsOnItsProof, subjects } from './laws.ts';
import { running, starting } from './life.ts';
import { stageOf } from './settle.ts';

const SPEC: Spec = { port: 8080 };
const ROUTE = [route(1)];
const exited = (restarts: number) => instance('u1', { phase: 'exited', ready: false, restarts });
const back = (restarts: number, uid = 'u1') => instance(uid, { restarts });

const told = async (lab: Lab) => {
  const { state, cause } = await lab.claim();
  return [state, cause?.code];
};

/** Runs with a port: ready and answering for the window. */
async function serving(lab: Lab, spec: Spec = {}): Promise<Agent> {
  const agent = await starting(lab, { ...SPEC, ...spec });
  const copies = Array.from({ length: spec.replicas ?? 1 }, (_, i) => instance(`u${i + 1}`));
  await agent.sees(copies, ROUTE);
  await agent.watches(3_000);
  expect((await lab.claim()).state).toBe('running');
  return agent;
}

/** Lives for `lifeMs`, exits, and is up again half a second later. Answers every state that was claimed meanwhile. */
async function dies(lab: Lab, agent: Agent, restarts: number, lifeMs = 20_000) {
  const states = new Set<string>();
  const look = async () => states.add((await lab.claim()).state);
  for (let left = lifeMs; left > 0; left -= 1_000) {
    await agent.watches(Math.min(1_000, left));
    await look();
  }
  await agent.sees([exited(restarts - 1)], []);
  await look();
  await lab.tick(500);
  await agent.sees([back(restarts)], ROUTE);
  await look();
  return states;
}

/** S9, S14: the facts are what the ledger gives, and the claim is what its evidence gives. */
async function isProven(lab: Lab): Promise<void> {
  for (const subject of await subjects(lab)) {
    givesStored(subject, subject.rows);
    restsOnItsProof(subject);
  }
}

describe('an app that dies every 20 s and answers in between (F113)', () => {
  it('is failed by a crash loop from the third exit on, never running, and serves beside it', async () => {
    const lab = newLab();
    const agent = await serving(lab);
    expect(await dies(lab, agent, 1)).toEqual(new Set(['running', 'degraded']));
    expect(await told(lab)).toEqual(['degraded', 'unsteady']);
    await dies(lab, agent, 2);
    await dies(lab, agent, 3);
    for (let restarts = 4; restarts < 12; restarts++) {
      expect(await dies(lab, agent, restarts)).toEqual(new Set(['failed']));
      await isProven(lab);
    }
    await agent.watches(8_000, 1_000);
    expect(await stageOf(lab)).toBe('runtime');
    expect(await lab.claim()).toMatchObject({
      state: 'failed',
      outcome: 'succeeded',
      cause: { code: 'crash_loop', params: { exits: 11, instance: 'u1' } },
      serving: { revision: 1, attempt: 1 },
      timeout: null,
      next: { owner: 'user' },
    });
    const { body } = (await lab.claim()).message;
    expect(body).toMatch(/^u1 exited 11 times in \d+ (?:s|min)\. It came up 8 s ago\. /);
    expect(body).not.toContain('Nothing to do');
    // It was started again 11 times, so that the end that nobody has followed up yet is the twelfth.
    await agent.sees([exited(11)], []);
    expect((await lab.claim()).message.body).toMatch(
      /^u1 exited 12 times in \d+ (?:s|min)\. It is not up now\. /,
    );
    await lab.tick(500);
    await agent.sees([back(12)], ROUTE);
    expect((await lab.claim()).message.body).toMatch(/^u1 exited 12 times in .+ It came up 0 s ago\. /);
    await isProven(lab);
  });

  it('is not running again within its own rhythm where its runtime calls it a crash loop at the second exit', async () => {
    const lab = newLab();
    const agent = await serving(lab);
    await dies(lab, agent, 1);
    await agent.watches(19_500, 1_000);
    await agent.sees(
      [instance('u1', { phase: 'exited', ready: false, restarts: 1, reason: 'crash_loop' })],
      [],
    );
    expect(await told(lab)).toEqual(['failed', 'crash_loop']);
    await lab.tick(500);
    await agent.sees([back(2)], ROUTE);
    // Each exit alone would ask for 12 s.
    for (let s = 0; s < 39; s++) {
      expect(await told(lab), `after ${s} s`).toEqual(['failed', 'crash_loop']);
      await agent.watches(1_000);
    }
    await isProven(lab);
    await agent.watches(3_000, 1_000);
    expect((await lab.claim()).state).toBe('running');
    await isProven(lab);
  });

  it('is remembered when its own place is back from behind another (F114)', async () => {
    const lab = newLab();
    let agent = await serving(lab, { stabilityMs: 1_000 });
    for (let n = 1; n <= 3; n++) await dies(lab, agent, n);
    expect(await told(lab)).toEqual(['failed', 'crash_loop']);
    const away = async (ms: number, restarts: number) => {
      await (await lab.agent(`other-${restarts}`).register('cluster-2')).sees([]);
      await lab.tick(ms);
      expect((await lab.claim()).state).toBe('unknown');
      agent = await lab.agent(`back-${restarts}`).register('cluster-1');
      await agent.sees([back(restarts)], ROUTE);
    };
    await away(12_000, 4);
    expect(await dies(lab, agent, 5)).toEqual(new Set(['failed']));
    // Long after it was applied, when nothing that it brings along would count.
    for (let n = 6; n <= 30; n++) await dies(lab, agent, n);
    await away(12_000, 30);
    expect(await dies(lab, agent, 31), 'no exit meanwhile').toEqual(new Set(['failed']));
    await isProven(lab);
  });

  it('exits behind another place are one, however many they are and however old the attempt is (F114)', async () => {
    for (const ageMs of [0, 11 * 60_000]) {
      const lab = newLab();
      const agent = await serving(lab, { stabilityMs: 1_000 });
      if (ageMs > 0) await agent.watches(ageMs);
      await (await lab.agent('other').register('cluster-2')).sees([]);
      await lab.tick(2_000);
      await (await lab.agent('back').register('cluster-1')).sees([back(3)], ROUTE);
      const rows = lab.rows('ledger').filter(({ kind }) => kind === 'runtime.observed');
      expect(rows.at(-1)?.body, `${ageMs} ms after it was applied`).toMatchObject({
        exits: [{ uid: 'u1', count: 1 }],
      });
      await isProven(lab);
    }
  });

  it('fails at start if the attempt never ran', async () => {
    const lab = newLab();
    const agent = await starting(lab, { ...SPEC, stabilityMs: 30_000 });
    await agent.sees([back(0)], ROUTE);
    for (const restarts of [1, 2, 3]) await dies(lab, agent, restarts);
    expect(await told(lab)).toEqual(['failed', 'crash_loop']);
    expect(await stageOf(lab)).toBe('start');
    expect((await lab.claim()).outcome).toBe('failed');
    await isProven(lab);
  });

  it('is running again only when the contract has held for twice its longest life', async () => {
    const lab = newLab();
    const agent = await serving(lab);
    for (const restarts of [1, 2, 3]) await dies(lab, agent, restarts);
    await agent.watches(40_999, 1_000);
    expect(await told(lab)).toEqual(['failed', 'crash_loop']);
    await agent.watches(1);
    expect(await told(lab)).toEqual(['running', undefined]);
    await isProven(lab);
    await agent.sees([instance('u1', { restarts: 3, ready: false })], ROUTE);
    expect(await told(lab), 'a loop that was outlived is over').toEqual(['degraded', 'not_ready']);
    await isProven(lab);
    await agent.sees([back(3)], ROUTE);
    await agent.watches(40_999, 1_000);
    expect(await told(lab), 'time alone never shortens the window').toEqual(['degraded', 'settling']);
    await agent.watches(1);
    expect(await told(lab)).toEqual(['running', undefined]);
  });

  it('is not taken back by mere readiness, nor by the end of the reason', async () => {
    const lab = newLab();
    const agent = await serving(lab);
    await agent.sees([instance('u1', { phase: 'exited', ready: false, reason: 'crash_loop' })], []);
    expect(await told(lab)).toEqual(['failed', 'crash_loop']);
    await agent.sees([instance('u1', { ready: false, restarts: 1 })], []);
    expect(await told(lab)).toEqual(['failed', 'crash_loop']);
    await agent.sees([back(1)], ROUTE);
    await agent.watches(5_999, 1_000);
    expect(await told(lab)).toEqual(['failed', 'crash_loop']);
    await isProven(lab);
    await agent.watches(1);
    expect(await told(lab)).toEqual(['running', undefined]);
  });
});

describe('one exit of what ran', () => {
  it('is degraded, unsteady, until its window has held', async () => {
    const lab = newLab();
    const agent = await serving(lab);
    await agent.sees([back(1)], ROUTE);
    expect(await lab.claim()).toMatchObject({
      state: 'degraded',
      cause: { code: 'unsteady', params: { exits: 1, instance: 'u1', windowMs: 6_000 } },
      next: { owner: 'platform', action: null },
      expecting: { by: null },
    });
    expect((await lab.claim()).message.body).toBe(
      'u1 exited once. It came up 0 s ago. 1 of 1 ready; we call it running once it has stayed up for 6.0 s. Nothing is needed from you.',
    );
    await agent.watches(5_999, 1_000);
    expect(await told(lab)).toEqual(['degraded', 'unsteady']);
    await isProven(lab);
    await agent.watches(1);
    expect(await told(lab)).toEqual(['running', undefined]);
    await isProven(lab);
  });

  it('meets no deadline while nothing but the window is missing', async () => {
    const lab = newLab();
    const agent = await serving(lab, { deadlines: { degradedMs: 10_000 }, stabilityMs: 3_000 });
    await agent.sees([back(1)], ROUTE);
    await agent.watches(1_000);
    await agent.sees([back(2)], ROUTE);
    await agent.watches(11_000, 1_000);
    expect(await told(lab)).toEqual(['degraded', 'unsteady']);
    await agent.sees([instance('u1', { restarts: 2, ready: false })], ROUTE);
    expect(await told(lab), 'the deadline stood still').toEqual(['degraded', 'not_ready']);
    await agent.watches(9_000, 1_000);
    expect((await lab.claim()).state).toBe('degraded');
    await agent.watches(1_000);
    expect(await told(lab)).toEqual(['failed', 'not_ready']);
    await isProven(lab);
  });
});

describe('one bad copy of three', () => {
  it('is degraded, names it, and no deadline fails it while others are steady', async () => {
    const lab = newLab();
    const agent = await serving(lab, { replicas: 3, deadlines: { degradedMs: 10_000 } });
    const others = [instance('u2'), instance('u3')];
    for (const restarts of [1, 2, 3]) {
      await agent.sees([exited(restarts - 1), ...others], ROUTE);
      await lab.tick(500);
      await agent.sees([back(restarts), ...others], ROUTE);
      await agent.watches(2_000);
    }
    expect(await lab.claim()).toMatchObject({
      state: 'degraded',
      cause: { code: 'crash_loop', params: { instance: 'u1', exits: 3 } },
      expecting: { by: null },
    });
    await agent.sees([exited(3), ...others], ROUTE);
    await agent.watches(60_000);
    expect(await told(lab)).toEqual(['degraded', 'crash_loop']);
    expect((await lab.claim()).message.body).toContain('u1 exited 4 times');
    await isProven(lab);
    await agent.sees([exited(3), instance('u2', { ready: false }), instance('u3', { ready: false })], []);
    expect(await told(lab), 'none is steady any more').toEqual(['failed', 'crash_loop']);
    await isProven(lab);
    await agent.sees([exited(3), ...others], ROUTE);
    expect(await told(lab), 'ready, and not steady').toEqual(['failed', 'crash_loop']);
    await agent.watches(3_000);
    expect(await told(lab)).toEqual(['degraded', 'crash_loop']);
    await isProven(lab);
  });

  it('keeps an attempt that never ran starting', async () => {
    const lab = newLab();
    const agent = await starting(lab, { replicas: 2, deadlines: { startMs: 20_000 } });
    const loop = (restarts: number) => instance('u1', { ready: false, restarts });
    await agent.sees([loop(0), instance('u2')]);
    await agent.watches(4_000, 1_000);
    for (const restarts of [1, 2, 3]) await agent.sees([loop(restarts), instance('u2')]);
    await agent.watches(60_000);
    expect(await told(lab)).toEqual(['starting', 'crash_loop']);
    await isProven(lab);
  });
});

describe('an exit', () => {
  const exitsOf = async (lab: Lab) => (await lab.claim()).cause?.params.exits ?? 0;

  it('is each restart between two reports at most the freshness window apart', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([back(2)]);
    expect(await exitsOf(lab)).toBe(2);
  });

  it('is one over a longer gap, however much the counter grew', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.tick(15_001);
    await agent.sees([back(5)]);
    expect(await told(lab)).toEqual(['degraded', 'unsteady']);
    expect(await exitsOf(lab)).toBe(1);
  });

  it('counts from the last report, though that was calm and left no row', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.watches(60_000);
    await agent.sees([back(2)]);
    expect(await exitsOf(lab)).toBe(2);
  });

  it('is what an instance brings along, if its attempt was applied less than ten minutes before', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([back(3)]);
    expect(await told(lab)).toEqual(['failed', 'crash_loop']);
  });

  it('is not what an instance brings along later', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.watches(600_000);
    await agent.sees([instance('u1'), back(3, 'u2')]);
    await agent.watches(3_000);
    expect((await lab.claim()).state).toBe('running');
    await agent.sees([back(3, 'u2')]);
    expect(await told(lab)).toEqual(['running', undefined]);
  });

  it('is none where a counter falls', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([back(1)]);
    await agent.sees([back(0)]);
    expect(await exitsOf(lab)).toBe(1);
    await agent.sees([back(1)]);
    expect(await exitsOf(lab)).toBe(2);
  });

  it('is a replacement under the same name of what was observed exited, which inherits the exits', async () => {
    const lab = newLab();
    const agent = await running(lab);
    const named = (uid: string, change: object = {}) => instance(uid, { name: 'web-0', ...change });
    await agent.sees([named('a')]);
    for (const [ended, next] of [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
    ] as const) {
      await agent.sees([named(ended, { phase: 'failed', ready: false })]);
      if (next === 'c') await agent.sees([]);
      await agent.sees([named(next)]);
    }
    expect(await lab.claim()).toMatchObject({
      state: 'failed',
      cause: { code: 'crash_loop', params: { exits: 3, instance: 'web-0' } },
    });
    await isProven(lab);
    await agent.sees([named('e')]);
    expect(await exitsOf(lab), 'deleted, and not exited: the memory is inherited').toBe(3);
    await isProven(lab);
  });

  it('is none of what is drained, deleted or replaced by a newer attempt', async () => {
    const lab = newLab();
    const agent = await running(lab, { replicas: 2 });
    await agent.sees([
      instance('u1'),
      instance('u2', { phase: 'stopping', restarts: 3, reason: 'terminating' }),
    ]);
    await agent.sees([instance('u1')]);
    await agent.sees([instance('u1'), instance('u3', { name: 'u2' })]);
    await agent.watches(3_000);
    expect((await lab.claim()).state).toBe('running');
    await lab.restart();
    await lab.publish();
    await (await agent.take()).applied();
    await agent.sees(['n1', 'n2'].map((uid, i) => instance(uid, { name: `u${i + 1}`, revision: 2 })));
    await agent.watches(3_000);
    expect((await lab.claim()).state).toBe('running');
  });
});

describe('an instance of several containers', () => {
  const twice = (restarts: readonly [number, number], more: object = {}) =>
    instance('u1', {
      restarts: restarts[0] + restarts[1],
      containers: ['app', 'metrics'].map((name, i) => ({ name, ready: true, restarts: restarts[i] })),
      ...more,
    });
  const looping = async (steps: readonly (readonly [number, number])[], last: object = {}) => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([twice([0, 0])]);
    for (const step of steps) {
      await agent.watches(5_000);
      await agent.sees([twice(step, last)]);
    }
    const { cause, message } = await lab.claim();
    return { params: cause?.params, body: message.body };
  };
  const WAITS = { phase: 'exited', ready: false, reason: 'crash_loop' };

  it('names the one that exits again and again, also while it is up', async () => {
    const { params, body } = await looping([
      [0, 1],
      [0, 2],
      [0, 3],
    ]);
    expect(params).toMatchObject({ exits: 3, container: 'metrics' });
    expect(body).toMatch(/^u1 \(container metrics\) exited 3 times in /);
  });

  it('says the code of the last exit also while it is up', async () => {
    const lab = newLab();
    const agent = await serving(lab);
    for (let restarts = 1; restarts <= 3; restarts++) {
      await agent.watches(5_000, 1_000);
      await agent.sees([{ ...exited(restarts - 1), details: { exitCode: 7 } }], []);
      await lab.tick(500);
      await agent.sees([back(restarts)], ROUTE);
    }
    const { message, cause } = await lab.claim();
    expect(cause?.params).toMatchObject({ exits: 3, exitCode: 7 });
    expect(message.body).toMatch(/^u1 exited with code 7, 3 times in \d+ s\. It came up /);
    await isProven(lab);
  });

  it('names each of two that do, and gives their exits to neither alone', async () => {
    const details = { exitCode: 3, container: 'app' };
    const { params, body } = await looping(
      [
        [1, 1],
        [2, 1],
        [2, 2],
      ],
      { ...WAITS, details },
    );
    // Four restarts, and down again.
    expect(params).toMatchObject({ exits: 5, containers: 'app, metrics' });
    expect(params).not.toHaveProperty('exitCode');
    expect(body).toMatch(/^u1 \(containers app, metrics\) exited 5 times in /);
  });
});

import { describe, expect, it } from 'vitest';
import type { Door } from '../../src/evidence/door/door.ts';
import { Sharing } from '../../src/evidence/door/sharing.ts';
import { throughDoorEach } from '../../src/evidence/door/through-door.ts';
import { submit as submitItems } from '../../src/evidence/submit/submit.ts';
import { canonicalJson } from '../../src/store/canonical.ts';
import { Conflict, OutcomeUnknown, Overloaded, type Store } from '../../src/store/port.ts';
import { DIGEST, type Lab, newLab, ORG, SOURCE, WEB } from './driver.ts';
import { building, running } from './life.ts';
import { overtaken } from './overtaken.ts';
import { Taker } from './taker.ts';

/** A build in progress, and a store that counts its transactions and can lose the answer to a commit. */
async function stage(limits?: { together: number; waiting: number }) {
  const lab = newLab();
  const build = await building(lab);
  const watched = { transactions: 0, lose: false };
  const store: Store = {
    read: (work) => lab.store.read(work),
    async transact(work) {
      watched.transactions += 1;
      const result = await lab.store.transact(work);
      if (!watched.lose) return result;
      watched.lose = false;
      throw new OutcomeUnknown('the answer to the commit was lost');
    },
  };
  const host = { store, settings: lab.host.settings, sharing: new Sharing(limits) };
  const progress = (step: number) => build.item('build.progress', { step, total: 9 });
  const submit = (...items: unknown[]) => submitItems(host, build.taker.caller, items);
  return { lab, build, host, watched, progress, submit };
}

describe('sharing transactions', () => {
  it('serves calls that come together in one transaction, and the next in another', async () => {
    const { watched, progress, submit } = await stage();
    const verdicts = await Promise.all([1, 2, 3, 4, 5, 6].map((step) => submit(progress(step))));
    expect(verdicts.flat().map((v) => v.verdict)).toEqual(Array(6).fill('admitted'));
    expect(watched.transactions).toBe(1);
    const positions = verdicts.flat().map((v) => Number(v.position));
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it('answers each item separately: an invalid one does not affect the others', async () => {
    const { progress, submit } = await stage();
    const [, mixed, last] = await Promise.all([
      submit(progress(1)),
      submit(progress(2), { nonsense: true }, progress(3)),
      submit(progress(4)),
    ]);
    expect(mixed?.map((v) => v.verdict)).toEqual(['admitted', 'rejected', 'admitted']);
    expect(last?.map((v) => v.verdict)).toEqual(['admitted']);
  });

  it('fails with an unknown outcome when the commit’s answer is lost, and the same ids find it out', async () => {
    const { lab, watched, progress, submit } = await stage();
    const item = progress(1);
    watched.lose = true;
    await expect(submit(item)).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(await submit(item)).toEqual([expect.objectContaining({ verdict: 'admitted', duplicate: true })]);
    expect((await lab.evidence()).filter((row) => row.kind === 'build.progress')).toHaveLength(1);
  });

  it('a call that throws fails alone (F28)', async () => {
    const { progress, submit } = await stage();
    const poison = {
      get id(): string {
        throw new Error('poison');
      },
    };
    const settled = await Promise.allSettled([
      submit(progress(1)),
      submit(progress(2)),
      submit(poison),
      submit(progress(3)),
    ]);
    expect(settled.map((s) => s.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('serves several works of one caller as those of many: each is answered separately', async () => {
    const { host, watched } = await stage();
    const fine = { work: async (door: Door) => door.org, prefetch: [] };
    const poison = { work: async () => Promise.reject(new Error('poison')), prefetch: [] };
    const settle = async (...works: (typeof fine)[]) =>
      (await throughDoorEach(host, ORG, works)).map((one) => one.status);
    expect(await settle(fine, fine, fine)).toEqual(Array(3).fill('fulfilled'));
    expect(watched.transactions).toBe(1);
    expect(await settle(fine, poison, fine)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await settle()).toEqual([]);
  });

  it('shares one transaction among no more than its limit, and lets no more wait than its bound', async () => {
    const { watched, progress, submit } = await stage({ together: 2, waiting: 4 });
    const all = [1, 2, 3, 4].map((step) => submit(progress(step)));
    await expect(submit(progress(5))).rejects.toThrow(Overloaded);
    await Promise.all(all);
    expect(watched.transactions).toBe(2);
    expect(await submit(progress(6))).toHaveLength(1);
  });
});

/**
 * Three services at different stages, and calls about them at one instant. All of them go to the door at once:
 * calls that first check whether they need it would come in another order.
 */
async function calls(lab: Lab): Promise<(() => Promise<unknown>)[]> {
  const agent = await running(lab);
  await lab.deploy(SOURCE, {}, { service: 'api@lab' });
  await lab.deploy(SOURCE, {}, { service: 'job@lab' });
  await lab.publish();
  const [build, other] = [await lab.builder().take(), await lab.builder('builder-b').offer()];
  await lab.holds(DIGEST);
  const step = (n: number) => build.item('build.progress', { step: n }, { seq: String(n) });
  const second = step(2);
  return [
    () => build.taker.submit(step(1), second),
    () => lab.restart(WEB),
    () => build.taker.submit(second, step(3)),
    () => build.taker.submit(build.item('artifact.stored', { digest: DIGEST, size: 1 })),
    () => other.release(),
    () => lab.deploy(SOURCE, {}, { service: 'job@lab', key: 'k' }),
    () => lab.deploy(SOURCE, {}, { service: 'job@lab', key: 'k' }),
    () => lab.deploy(SOURCE, {}, { service: 'new@lab' }),
    () => lab.agent('agent-two').register(),
    () => build.taker.submit(step(4)),
    () => lab.cancel(null, 'new@lab'),
    () => lab.retry('new@lab'),
    () => lab.teardown(null, WEB),
    () => agent.submit({ id: 'nonsense' }),
  ];
}

/** The answer of a call, without objects of the test itself. */
const plainAnswer = (answer: unknown) => (answer instanceof Taker ? 'a taker' : answer);

describe('calls that share a transaction', () => {
  it('leave the same rows and answers as one after the other', async () => {
    const [apart, together] = [newLab({ checkpointEvery: 3 }), newLab({ checkpointEvery: 3 })];
    const alone: unknown[] = [];
    for (const call of await calls(apart)) alone.push(await call());
    const prepared = await calls(together);
    let doors = 0;
    const { transact } = together.store;
    together.store.transact = (work) => {
      doors += 1;
      return transact.call(together.store, work) as ReturnType<typeof work>;
    };
    Object.assign(together.host, { sharing: new Sharing() });
    const company = await Promise.all(prepared.map((call) => call()));
    expect(company.map(plainAnswer)).toEqual(alone.map(plainAnswer));
    for (const [table, rows] of Object.entries(together.store.tables))
      expect([...rows.values()].map(canonicalJson).sort(), table).toEqual(
        [...apart.store.tables[table as 'ledger'].values()].map(canonicalJson).sort(),
      );
    expect(doors).toBe(1);
    expect(await together.evidence('new@lab')).toHaveLength(4);
  });
});

describe('a service that cannot be read', () => {
  it('is judged apart from the others: each call is answered, and nothing is concluded about it', async () => {
    const { lab, build, progress, submit } = await stage();
    const { services, ledger } = lab.store.tables;
    for (const [key, row] of services) services.set(key, { ...row, proven: 'nothing' });
    for (const [key, row] of ledger) ledger.set(key, { ...row, body: null } as unknown as typeof row);
    const verdicts = await Promise.all([submit(progress(1)), submit(progress(2)), submit(progress(3))]);
    expect(verdicts.flat().map((v) => v.reason)).toEqual(Array(3).fill('not_owner'));
    expect(lab.rows('services')).toMatchObject([
      { service: build.offer.service, state: 'unknown', rejected: 3 },
    ]);
  });
});

describe('calls for work at the same time', () => {
  it('get the same offers as one after the other: one per instance, none of what is offered already', async () => {
    const lab = newLab();
    for (const service of ['a@lab', 'b@lab', 'c@lab']) await lab.deploy(SOURCE, {}, { service });
    await lab.publish();
    Object.assign(lab.host, { sharing: new Sharing() });
    const [one, bound] = [lab.builder(), lab.builder('bound', { service: 'c@lab' })];
    const others = ['builder-b', 'builder-c', 'builder-d'].map((name) => lab.builder(name));
    const acquiring = [one, one, ...others, bound].map((builder) => builder.acquire());
    const got = (await Promise.all(acquiring)).map((lease) => lease?.offer.service ?? null);
    expect(got).toEqual(['a@lab', 'a@lab', 'b@lab', 'c@lab', null, null]);
    expect(lab.rows('leases').map((lease) => lease.caller)).toEqual(['builder-a', 'builder-b', 'builder-c']);
    expect(lab.rows('workers')).toHaveLength(5);
  });

  it('get commands that another server does not offer at the same time', async () => {
    const lab = newLab();
    for (const service of ['a@lab', 'b@lab', 'c@lab']) await lab.deploy(SOURCE, {}, { service });
    await lab.publish();
    const { server, stopped, resume } = overtaken(lab, (statement) => statement === 'updateAll');
    Object.assign(server.host, { sharing: new Sharing() });
    const slow = ['builder-a', 'builder-b'].map((name) => server.builder(name).acquire());
    await stopped;
    const fast = await lab.builder('builder-c').offer();
    resume();
    const taken = [...(await Promise.all(slow)), fast].map((lease) => lease?.offer.service);
    expect(taken.toSorted()).toEqual(['a@lab', 'b@lab', 'c@lab']);
  });
});

describe('the queue for a shared transaction', () => {
  const line = (serve: (jobs: readonly number[]) => Promise<readonly number[]>) => {
    const groups: (readonly number[])[] = [];
    const sharing = new Sharing({ together: 4, waiting: 100 });
    const join = (job: number, size = 1) =>
      sharing.join('a', size, job, (jobs: readonly number[]) => {
        groups.push(jobs);
        return serve(jobs);
      });
    return { groups, join };
  };
  const settled = async (joined: Promise<number>[]) =>
    (await Promise.allSettled(joined)).map((s) => (s.status === 'fulfilled' ? s.value : String(s.reason)));

  it('keeps the order of arrival, and shares among no more than its limit', async () => {
    const { groups, join } = line(async (jobs) => jobs.map((job) => job * 10));
    const answers = await Promise.all([join(1), join(2, 3), join(3, 2), join(4, 9), join(5)]);
    expect(answers).toEqual([10, 20, 30, 40, 50]);
    expect(groups).toEqual([[1, 2], [3], [4], [5]]);
  });

  it('runs each alone when together they lose every race', async () => {
    const { groups, join } = line(async (jobs) => {
      if (jobs.length > 1) throw new Conflict('lost');
      return jobs;
    });
    expect(await settled([join(1), join(2)])).toEqual([1, 2]);
    expect(groups).toEqual([[1, 2], [1], [2]]);
  });

  it('passes a failure of the store to all, and does not try again', async () => {
    const { groups, join } = line(() => Promise.reject(new OutcomeUnknown('lost')));
    expect(await settled([join(1), join(2)])).toEqual(['OutcomeUnknown: lost', 'OutcomeUnknown: lost']);
    expect(groups).toEqual([[1, 2]]);
  });

  it('continues after a failure', async () => {
    let fails = true;
    const { join } = line(async (jobs) => {
      if (fails) throw new Error('no');
      return jobs;
    });
    expect(await settled([join(1)])).toEqual(['Error: no']);
    fails = false;
    expect(await settled([join(2), join(3)])).toEqual([2, 3]);
  });
});

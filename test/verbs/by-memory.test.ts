import { describe, expect, it } from 'vitest';
import type { Host } from '../../src/evidence/door/host.ts';
import { submit as submitItems } from '../../src/evidence/submit/submit.ts';
import { revokeToken } from '../../src/server/auth/tokens.ts';
import { OrgImages } from '../../src/store/org-image.ts';
import { OutcomeUnknown, type Store } from '../../src/store/port.ts';
import { DIGEST, newLab, ORG, SOURCE, WEB } from './driver.ts';
import { givesStored, subjects } from './laws.ts';
import { building } from './life.ts';
import type { Lease } from './taker.ts';

/** A build in progress, and a server that remembers what it has done: it says how it wrote each group. */
async function stage(images = new OrgImages()) {
  const lab = newLab();
  const build = await building(lab);
  const how: string[] = [];
  const watched: { lost: (() => Promise<unknown>) | null } = { lost: null };
  const store: Store = {
    read(work) {
      how.push('reads');
      return lab.store.read(work);
    },
    transact(work) {
      how.push('behind the lock');
      return lab.store.transact(work);
    },
    async writeChained(group) {
      const isWritten = await lab.store.writeChained(group);
      how.push(isWritten ? 'by memory' : 'refused');
      const { lost } = watched;
      if (lost === null) return isWritten;
      watched.lost = null;
      await lost();
      throw new OutcomeUnknown('the answer to the commit was lost');
    },
    clockByMemory: () => lab.store.clockByMemory(),
  };
  const host: Host = { store, settings: lab.host.settings, images };
  const progress = (step: number) => build.item('build.progress', { step, total: 9 });
  const submitAs = async ({ taker }: Lease, ...items: unknown[]) => {
    how.length = 0;
    const verdicts = await submitItems(host, taker.caller, items);
    return [...how, ...verdicts.map(({ verdict }) => verdict)];
  };
  const submit = Object.assign((...items: unknown[]) => submitAs(build, ...items), { as: submitAs });
  await submit(progress(1));
  return { lab, build, host, watched, progress, submit, images };
}

const rows = (lab: ReturnType<typeof newLab>) => ({
  ledger: lab.rows('ledger').map(({ position, kind }) => `${position} ${kind}`),
  transitions: lab.rows('transitions').map(({ position, to }) => `${position} ${to}`),
  services: lab.rows('services'),
  commands: lab.rows('commands'),
  attempts: lab.rows('attempts'),
  leases: lab.rows('leases'),
});

describe('a group on a service that is remembered', () => {
  it('is one chained write, and leaves the rows that a transaction behind the lock leaves', async () => {
    const { lab, progress, submit } = await stage();
    expect(await submit(progress(2), progress(3))).toEqual(['by memory', 'admitted', 'admitted']);
    expect(await submit(progress(4))).toEqual(['by memory', 'admitted']);
    const locked = newLab();
    const build = await building(locked);
    for (const steps of [[1], [2, 3], [4]])
      await build.taker.submit(...steps.map((step) => build.item('build.progress', { step, total: 9 })));
    expect(rows(lab)).toEqual(rows(locked));
  });

  it('ends the lease, moves the command on and makes the next one', async () => {
    const { lab, build, host, submit } = await stage();
    await lab.holds(DIGEST);
    await lab.deploy(SOURCE, {}, { service: 'api@lab' });
    await lab.publish();
    const api = await lab.builder('builder-b').take();
    const stored = (of: Lease) => of.item('artifact.stored', { digest: DIGEST, size: 1 });
    await submitItems(host, api.taker.caller, [api.item('build.progress', { step: 1, total: 9 })]);
    lab.sleep(1_000);
    // That the bytes are held is not remembered, and is read without the lock; then it is remembered.
    expect(await submit(stored(build))).toEqual(['reads', 'by memory', 'admitted']);
    expect(await submit.as(api, stored(api))).toEqual(['reads', 'by memory', 'admitted']);
    const commands = lab.rows('commands').map(({ id, state }) => `${id} ${state}`);
    expect(commands.map((c) => c.replace(/^.*@lab/, '')).sort()).toEqual(
      ['web', 'api'].flatMap(() => ['.r1.a1.apply.1 recorded', '.r1.a1.build.1 done']).sort(),
    );
    const leases = lab.rows('leases').map(({ service, end }) => `${service} ${end}`);
    expect(leases.sort()).toEqual(['api@lab completed', 'web@lab completed']);
    expect(lab.rows('attempts').map(({ artifact }) => artifact)).toEqual([DIGEST, DIGEST]);
    expect((await lab.claim('api@lab')).state).toBe((await lab.claim(WEB)).state);
  });

  it('answers a repeated id with its first verdict, behind the lock', async () => {
    const { lab, progress, submit } = await stage();
    const item = progress(2);
    await submit(item);
    expect(await submit(item)).toEqual(['refused', 'behind the lock', 'admitted']);
    expect(lab.rows('ledger').filter(({ kind }) => kind === 'build.progress')).toHaveLength(2);
  });

  it('refuses nothing by memory', async () => {
    const { build, progress, submit } = await stage();
    const forged = { ...progress(2), fence: '9' };
    expect(await submit(progress(3), forged)).toEqual(['reads', 'behind the lock', 'admitted', 'rejected']);
    expect(await submit(build.item('build.progress', { step: 'x' }))).toEqual([
      'behind the lock',
      'rejected',
    ]);
  });
});

describe('what is remembered', () => {
  it('is forgotten once another server has written, and not trusted for a second if it does so again', async () => {
    const { lab, build, progress, submit } = await stage();
    await build.taker.submit(progress(2));
    expect(await submit(progress(3))).toEqual(['refused', 'behind the lock', 'admitted']);
    expect(await submit(progress(4))).toEqual(['by memory', 'admitted']);
    await build.taker.submit(progress(5));
    expect(await submit(progress(6))).toEqual(['refused', 'behind the lock', 'admitted']);
    expect(await submit(progress(7))).toEqual(['behind the lock', 'admitted']);
    lab.sleep(1_000);
    expect(await submit(progress(8))).toEqual(['by memory', 'admitted']);
    const positions = lab.rows('ledger').map(({ position }) => Number(position));
    expect(new Set(positions).size).toBe(positions.length);
  });

  it('is forgotten when the other has written no evidence, too', async () => {
    const { lab, progress, submit } = await stage();
    const { position } = lab.rows('heads')[0] ?? {};
    await revokeToken(lab.store, ORG, 'somebody');
    expect(lab.rows('heads')[0]?.position).toBe(position);
    expect(await submit(progress(2))).toEqual(['refused', 'behind the lock', 'admitted']);
  });

  it('is forgotten when a group behind the lock finds that another has written', async () => {
    const { lab, build, progress, submit } = await stage();
    await lab.deploy(SOURCE, {}, { service: 'api@lab' });
    await lab.publish();
    const api = await lab.builder('builder-b').take();
    const step = (of: Lease, n: number) => of.item('build.progress', { step: n, total: 9 });
    expect(await submit.as(api, step(api, 1))).toEqual(['reads', 'refused', 'behind the lock', 'admitted']);
    await build.taker.submit(progress(2));
    // What is remembered of web is older than the tip under which api is remembered now.
    expect(await submit.as(api, { ...step(api, 2), fence: '9' })).toEqual([
      'reads',
      'behind the lock',
      'rejected',
    ]);
    expect(await submit(progress(3))).toEqual(['reads', 'by memory', 'admitted']);
    for (const subject of await subjects(lab)) givesStored(subject, subject.rows);
  });

  it('is forgotten with a lost answer, and the same id finds out what became of it', async () => {
    const { lab, build, watched, progress, submit } = await stage();
    const item = progress(2);
    // Another server writes before this one can look: it cannot tell any more whether its group is in.
    watched.lost = () => build.taker.submit(progress(3));
    await expect(submit(item)).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(await submit(item)).toEqual(['behind the lock', 'admitted']);
    expect(lab.rows('ledger').filter(({ kind }) => kind === 'build.progress')).toHaveLength(3);
  });

  it('is right after a lost answer if the head holds the tip of the group: nobody has written since', async () => {
    const { lab, watched, progress, submit } = await stage();
    watched.lost = async () => {};
    expect(await submit(progress(2))).toEqual(['by memory', 'reads', 'admitted']);
    expect(await submit(progress(3))).toEqual(['by memory', 'admitted']);
    expect(lab.rows('ledger').filter(({ kind }) => kind === 'build.progress')).toHaveLength(3);
  });

  it('never says that a lease has lapsed: its holder may have extended it', async () => {
    const { lab, build, progress, submit } = await stage();
    for (let left = lab.host.settings.leaseTtlMs; left > 0; left -= 1_000) {
      lab.sleep(1_000);
      await build.heartbeat();
    }
    expect(await submit(progress(2))).toEqual(['reads', 'behind the lock', 'admitted']);
    expect((await lab.claim(WEB)).state).toBe('building');
    expect(await submit(progress(3))).toEqual(['by memory', 'admitted']);
  });

  it('is bounded: what does not fit is read again', async () => {
    const { progress, submit, images } = await stage(new OrgImages(1_000));
    for (const step of [2, 3, 4, 5]) expect(await submit(progress(step))).toContain('admitted');
    expect(images.bytes).toBeLessThan(10_000);
  });
});

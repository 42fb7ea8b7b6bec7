import { describe, expect, it } from 'vitest';
import { GroupCommit } from '../../src/evidence/group-commit.ts';
import { OutcomeUnknown, Overloaded, type Store } from '../../src/store/port.ts';
import { newLab } from './driver.ts';
import { building } from './life.ts';

/** A build under way, and its store watched: how many transactions, and what the next commit answers. */
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
  const group = new GroupCommit({ store, settings: lab.host.settings }, limits);
  const progress = (step: number) => build.item('build.progress', { step, total: 9 });
  const submit = (...items: unknown[]) => group.submit(build.taker.caller, items);
  return { lab, watched, progress, submit };
}

describe('group commit', () => {
  it('shares the next commit among those who came while one was in flight', async () => {
    const { watched, progress, submit } = await stage();
    const verdicts = await Promise.all([1, 2, 3, 4, 5, 6].map((step) => submit(progress(step))));
    expect(verdicts.flat().map((v) => v.verdict)).toEqual(Array(6).fill('admitted'));
    expect(watched.transactions).toBe(2);
    const positions = verdicts.flat().map((v) => Number(v.position));
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it('answers each item by itself: a bad one never hurts its neighbours', async () => {
    const { progress, submit } = await stage();
    const [, mixed, last] = await Promise.all([
      submit(progress(1)),
      submit(progress(2), { nonsense: true }, progress(3)),
      submit(progress(4)),
    ]);
    expect(mixed?.map((v) => v.verdict)).toEqual(['admitted', 'rejected', 'admitted']);
    expect(last?.map((v) => v.verdict)).toEqual(['admitted']);
  });

  it('says so when the outcome of the commit is unknown, and the same ids resolve it', async () => {
    const { lab, watched, progress, submit } = await stage();
    const item = progress(1);
    watched.lose = true;
    await expect(submit(item)).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(await submit(item)).toEqual([expect.objectContaining({ verdict: 'admitted', duplicate: true })]);
    expect((await lab.evidence()).filter((row) => row.kind === 'build.progress')).toHaveLength(1);
  });

  it('lets what cannot be done fail alone', async () => {
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

  it('takes no more together than its limit, and lets no more wait than its bound', async () => {
    const { watched, progress, submit } = await stage({ together: 2, waiting: 4 });
    const all = [1, 2, 3, 4].map((step) => submit(progress(step)));
    await expect(submit(progress(5))).rejects.toThrow(Overloaded);
    await Promise.all(all);
    expect(watched.transactions).toBe(3);
    expect(await submit(progress(6))).toHaveLength(1);
  });
});

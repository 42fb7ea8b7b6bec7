import { expect, it } from 'vitest';
import type { Platform } from '../verbs/driver.ts';
import { building } from '../verbs/life.ts';
import { describeOnBoth } from './both-databases.ts';

const ROUNDS = 10;
const lapsed = async (lab: Platform) =>
  (await lab.evidence()).filter(({ kind, verdict }) => kind === 'lease.lapsed' && verdict === 'admitted');

describeOnBoth('two writers at the same instant', (newPlatform) => {
  it('one of many sweepers records a lapse; the others find nothing to do (F36)', async () => {
    const lab = await newPlatform();
    await building(lab);
    lab.sleep(4_000);
    await lab.sweep();
    for (let left = 26_500; left > 0; left -= 4_000) {
      lab.sleep(Math.min(4_000, left));
      // The server stays awake, so that no time is blind.
      await lab.sweep('awake');
    }
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => lab.sweep(name)));
    expect(await lapsed(lab)).toHaveLength(1);
    const commands = await lab.store.read((tx) => tx.select('commands', {}));
    expect(commands).toMatchObject([{ lapses: 1, state: 'published', fence: '1' }]);
    expect(await lab.outcomes()).toEqual(['r1.a1 in_progress']);
  });

  it('exactly one counts of a result and the lapse of its lease at the same instant (F37)', async () => {
    const ways = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const lab = await newPlatform();
      const build = await building(lab);
      for (let left = 30_500; left > 0; left -= 4_000) {
        if (left <= 4_000) break;
        lab.sleep(4_000);
        await lab.sweep('awake');
      }
      lab.sleep(4_000);
      await lab.holds(`sha256:${'1'.repeat(64)}`);
      // A growing head start for the one, and then for the other, so that every order occurs.
      const race = [() => build.stored(), () => lab.sweep('late')];
      if (round % 2 === 1) race.reverse();
      const [first, second] = race;
      const running = first?.();
      if (round < ROUNDS - 2)
        for (let turn = 0; turn < round; turn++) await new Promise((done) => setImmediate(done));
      else await running;
      await Promise.all([running, second?.()]);
      const [stored] = (await lab.evidence()).filter(({ kind }) => kind === 'artifact.stored');
      const lapses = await lapsed(lab);
      const result = stored?.verdict === 'admitted';
      expect([result, lapses.length], `round ${round}`).toEqual(result ? [true, 0] : [false, 1]);
      if (stored?.verdict === 'rejected') expect(stored.reason).toBe('stale_lease');
      expect((await lab.claim()).state).toBe(result ? 'artifact_ready' : 'waiting_for_worker');
      ways.add(String(result));
    }
    expect(ways.size, 'both orders occurred').toBe(2);
  });
});

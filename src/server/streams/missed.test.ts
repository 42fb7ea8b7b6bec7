import { expect, it } from 'vitest';
import { newLab, ORG, SOURCE, WEB } from '../../../test/verbs/driver.ts';
import { running } from '../../../test/verbs/life.ts';
import { archive } from '../../repair/archive.ts';
import { tellMissed } from './missed.ts';

const DAY = 24 * 3_600_000;

it('a position older than what is kept is reset, and never a silent gap (F84)', async () => {
  const lab = newLab({ checkpointEvery: 4 });
  await running(lab);
  const first = (await lab.transitions())[0]?.position ?? '';
  lab.now += 3 * DAY;
  await lab.deploy(SOURCE);
  await lab.publish();
  const kept = (await lab.transitions()).at(-2)?.position ?? '';
  const head = (await lab.transitions()).at(-1)?.position ?? '';
  const missed = async (from: string) => {
    const told: string[] = [];
    const of = { org: ORG, which: { service: WEB, target: '*' }, audience: 'user', from, to: head } as const;
    const how = await tellMissed(lab.host, of, async (text) => told.push(text) > 0);
    return how === 'reset' ? how : told;
  };
  expect((await missed(first)).length, 'all of it is still there').toBeGreaterThan(2);
  const policy = { before: lab.now - DAY, keepRevisions: 1 };
  await archive(lab.host, ORG, { policy, remove: true, moved: async () => {} });
  expect(await missed(first)).toBe('reset');
  expect(await missed(kept), 'what came since is told').toHaveLength(1);
  expect(await missed('999999'), 'never handed out').toBe('reset');
});

import { expect, it } from 'vitest';
import { newLab, ORG, SOURCE, WEB } from '../../../test/verbs/driver.ts';
import { running } from '../../../test/verbs/life.ts';
import { archive } from '../../repair/archive.ts';
import type { Store } from '../../store/port.ts';
import { type Missed, missedTransitions } from './missed.ts';
import { PastTransitions } from './past-transitions.ts';
import type { TransitionEvent } from './watch-event.ts';

const DAY = 24 * 3_600_000;

/** All events that are yielded, or `reset`. */
async function all(...of: Parameters<typeof missedTransitions>) {
  const events: TransitionEvent[] = [];
  const missed = missedTransitions(...of);
  let next = await missed.next();
  for (; !next.done; next = await missed.next()) events.push(next.value);
  return next.value === 'reset' ? next.value : events;
}

it('a position older than the kept ones is reset, and never a silent gap (F84)', async () => {
  const lab = newLab({ checkpointEvery: 4 });
  await running(lab);
  const first = (await lab.transitions())[0]?.position ?? '';
  lab.now += 3 * DAY;
  await lab.deploy(SOURCE);
  await lab.publish();
  const kept = (await lab.transitions()).at(-2)?.position ?? '';
  const head = (await lab.transitions()).at(-1)?.position ?? '';
  const missed = (from: string) =>
    all(lab.host, { org: ORG, which: { service: WEB, target: '*' }, audience: 'user', from, to: head });
  expect((await missed(first)).length, 'all of it is still there').toBeGreaterThan(2);
  const policy = { before: lab.now - DAY, keepRevisions: 1 };
  await archive(lab.host, ORG, { policy, remove: true, moved: async () => {} });
  expect(await missed(first)).toBe('reset');
  expect(await missed(kept), 'what came since is sent').toHaveLength(1);
  expect(await missed('999999'), 'never handed out').toBe('reset');
});

it('missed events are computed once, for all clients at once and for later ones', async () => {
  const lab = newLab();
  await running(lab);
  const positions = (await lab.transitions()).map(({ position }) => position);
  let reads = 0;
  const store: Store = {
    transact: (work) => lab.store.transact(work),
    read: (work) => {
      reads += 1;
      return lab.store.read(work);
    },
  };
  const host = { ...lab.host, store };
  const past = new PastTransitions(host, ORG);
  const missed = (audience: Missed['audience']) => {
    const stretch = { from: '0', to: positions.at(-1) ?? '' };
    return all(host, { org: ORG, which: { service: WEB, target: '*' }, audience, ...stretch }, past);
  };
  const first = await missed('user');
  expect(first).toHaveLength(positions.length);
  const alone = reads;
  reads = 0;
  expect(await missed('user')).toEqual(first);
  const again = reads;
  expect(alone - again, 'the claim after each').toBe(positions.length);
  reads = 0;
  const operators = await Promise.all(Array.from({ length: 10 }, () => missed('operator')));
  expect(reads, 'what each reads for itself is where it stands').toBe(10 * again + positions.length);
  for (const sent of operators) expect(sent).toEqual(operators[0]);
  expect(operators[0], 'operators receive more').not.toEqual(first);
});

import { beforeEach, expect, it } from 'vitest';
import type { CommitNotice } from '../evidence/door/host.ts';
import { Hints, type WantedCommands } from './hints.ts';

const BUILDER: WantedCommands = { kinds: ['build'], of: undefined, target: '*', service: '*' };
const build = (service: string) => `${service}.r1.a1.build.1`;
const news = (fields: Partial<CommitNotice>): CommitNotice => ({
  org: 'acme',
  moved: false,
  recorded: [],
  published: [],
  alarms: [],
  ...fields,
});
const NEVER = new AbortController().signal;

let hints: Hints;
let woken: string[];
beforeEach(() => {
  hints = new Hints();
  woken = [];
});

/** Waits for longer than any test takes: only a hint, or its signal, can wake it. */
function waits(name: string, wanted: WantedCommands = BUILDER, signal = NEVER) {
  const waiter = hints.waitForWork('acme', wanted);
  const waiting = waiter.wait(60_000, signal).then(() => woken.push(name));
  return { ...waiter, waiting };
}

/** Waits until every hint that was sent has arrived. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('as many waiters are woken as there are commands, the longest waiting first', async () => {
  for (const name of ['a', 'b', 'c']) waits(name);
  hints.send(news({ published: [build('web@lab')] }));
  await settled();
  expect(woken).toEqual(['a']);
  hints.send(news({ published: [build('api@lab'), build('db@lab')] }));
  await settled();
  expect(woken).toEqual(['a', 'b', 'c']);
});

it('no waiter is woken that could not acquire the command', async () => {
  waits('an agent', { kinds: ['apply', 'remove'], of: 'lab', target: 'lab', service: '*' });
  waits('of another target', { ...BUILDER, of: 'prod' });
  waits('bound to others', { ...BUILDER, service: 'api@*' });
  waits('the one');
  hints.send(news({ published: [build('web@lab')] }));
  hints.send({ ...news({ published: [build('web@lab')] }), org: 'other' });
  hints.send(news({ moved: true, recorded: [build('web@lab')] }));
  await settled();
  expect(woken).toEqual(['the one']);
});

it('a command published during the first read wakes the waiter', async () => {
  const waiter = hints.waitForWork('acme', BUILDER);
  hints.send(news({ published: [build('web@lab')] }));
  await waiter.wait(60_000, NEVER);
});

it('another waiter is woken if the first leaves without the command', async () => {
  const first = hints.waitForWork('acme', BUILDER);
  waits('second');
  hints.send(news({ published: [build('web@lab')] }));
  await settled();
  expect(woken).toEqual([]);
  first.leave();
  await settled();
  expect(woken).toEqual(['second']);
});

it('a waiter that has gone is not woken, and listeners are notified of new positions only', async () => {
  const gone = new AbortController();
  const { leave, waiting } = waits('gone', BUILDER, gone.signal);
  gone.abort();
  await waiting;
  leave();
  let moved = 0;
  const off = hints.onMoved('acme', () => moved++);
  hints.send(news({ published: [build('web@lab')] }));
  hints.send(news({ moved: true }));
  off();
  hints.send(news({ moved: true }));
  expect(moved).toBe(1);
});

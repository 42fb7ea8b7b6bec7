import { expect, it } from 'vitest';
import { EventQueue } from './event-queue.ts';
import type { WatchEvent } from './watch-event.ts';

const transition = (id: string) => ({ event: 'transition', id, data: {} }) as unknown as WatchEvent;
const idOf = (event: WatchEvent | null) => (event as { id?: string } | null)?.id ?? null;

it('buffers events until missed ones are sent, and then leaves out those that were among them (S12)', async () => {
  const queue = new EventQueue();
  for (const id of ['1', '2', '3']) queue.push(transition(id));
  queue.goLive('2');
  expect(idOf(await queue.take())).toBe('3');
  queue.push(transition('2'));
  queue.push(transition('4'));
  expect(idOf(await queue.take())).toBe('4');
});

it('drops the buffer where it becomes too large, and reports it', () => {
  const queue = new EventQueue();
  for (let id = 1; id <= 101; id++) queue.push(transition(String(id)));
  expect(queue.hasOverflowed).toBe(true);
  queue.clear();
  expect(queue.hasOverflowed).toBe(false);
});

it('ends a consumer that does not read live events, and bounds its buffer (F83)', async () => {
  const queue = new EventQueue();
  queue.goLive('0');
  for (let id = 1; id <= 5_000; id++) queue.push(transition(String(id)));
  expect(queue.why).toContain('not taken in time');
  await queue.ended;
  let taken = 0;
  while ((await queue.take()) !== null) taken += 1;
  expect(taken).toBe(1_000);
});

it('wakes a consumer that waits, by an event and by the end', async () => {
  const queue = new EventQueue();
  queue.goLive('0');
  const first = queue.take();
  queue.push(transition('1'));
  expect(idOf(await first)).toBe('1');
  const second = queue.take();
  queue.end('enough');
  queue.push(transition('2'));
  expect(await second).toBeNull();
});

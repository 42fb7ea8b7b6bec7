import { expect, it } from 'vitest';
import { NoRoom } from './port.ts';
import { Room } from './room.ts';

it('is missed until somebody finds it, and those who are small are not believed at once', async () => {
  let now = 0;
  const room = new Room(() => now);
  const isLeftAfter = (ms: number) => {
    now += ms;
    room.wasFound();
    return room.isLeft;
  };
  const fails = (error: Error) => expect(room.soughtBy(Promise.reject(error))).rejects.toBe(error);
  await fails(new Error('something else'));
  expect(room.isLeft).toBe(true);
  await fails(new NoRoom('the disk is full'));
  expect([room.isLeft, isLeftAfter(1_000)]).toEqual([false, false]);
  await fails(new NoRoom('the disk is full'));
  expect([isLeftAfter(4_999), isLeftAfter(1)]).toEqual([false, true]);
  expect(await room.soughtBy(Promise.resolve('written'))).toBe('written');
});

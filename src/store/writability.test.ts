import { expect, it } from 'vitest';
import { NoRoom, ReadOnly } from './port.ts';
import { Writability } from './writability.ts';

it('a full disk counts until writes succeed for 5 s without another failure, a read-only database until the first success', async () => {
  let now = 0;
  const room = new Writability(() => now);
  const isLeft = ({ reason }: Writability) => reason === null;
  const isLeftAfter = (ms: number) => {
    now += ms;
    room.noteSuccess();
    return isLeft(room);
  };
  const fails = (error: Error) => expect(room.watch(Promise.reject(error))).rejects.toBe(error);
  await fails(new Error('something else'));
  expect(isLeft(room)).toBe(true);
  await fails(new NoRoom('the disk is full'));
  expect([isLeft(room), isLeftAfter(1_000)]).toEqual([false, false]);
  await fails(new NoRoom('the disk is full'));
  expect([isLeftAfter(4_999), isLeftAfter(1)]).toEqual([false, true]);
  expect(await room.watch(Promise.resolve('written'))).toBe('written');
  await fails(new ReadOnly('a standby'));
  expect(room.reason).toBeInstanceOf(ReadOnly);
  expect(isLeftAfter(0), 'one that takes writes again takes all of them').toBe(true);
});

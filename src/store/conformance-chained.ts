import { beforeEach, describe, expect, it } from 'vitest';
import { readable } from './broken-row.ts';
import { headRow, type MakeStore } from './conformance-lab.ts';
import { type ChainedWrite, CLOCK_SLACK_MS, type Store } from './port.ts';

const BELIEVED = { tip: 'aa', position: '1' };
const AFTER = { tip: 'bb', position: '2', at: 1_000 };
const alarm = (position: string) => {
  const row = { org: 'a', position, code: 'unissued', service: null, at: 1_000 };
  return { table: 'alarms', row } as const;
};
const resized = (digest: string, was: number, size: number) =>
  ({ table: 'artifacts', key: { org: 'a', digest }, expect: { size: was }, set: { size } }) as const;

/** A promise with the function that resolves it. */
function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** A group is written whole if the head is as its writer remembers it, and leaves no trace otherwise. */
export function describeChained(makeStore: MakeStore): void {
  describe('a chained group', () => {
    let now = 1_000;
    let store: Store;
    beforeEach(async () => {
      now = 1_000;
      store = await makeStore(() => now);
      await store.transact(async (tx) => {
        await tx.insert('heads', { ...headRow('a', '1'), tip: 'aa' });
        for (const digest of ['x', 'y']) await tx.insert('artifacts', { org: 'a', digest, size: 1 });
      });
    });
    const write = (group: Partial<ChainedWrite> = {}) => {
      const whole = { org: 'a', believed: BELIEVED, head: AFTER, now, appends: [], updates: [], ...group };
      return store.writeChained?.(whole);
    };
    const state = () =>
      store.read(async (tx) => {
        const { tip, position } = readable(await tx.get('heads', { org: 'a' }));
        const artifacts = await tx.select('artifacts', { org: 'a' }, { order: 'digest' });
        const alarms = await tx.select('alarms', { org: 'a' }, { order: 'position' });
        return {
          head: `${tip} ${position}`,
          sizes: artifacts.map((row) => readable(row).size),
          alarms: alarms.map((row) => readable(row).position),
        };
      });
    const UNTOUCHED = { head: 'aa 1', sizes: [1, 1], alarms: [] };

    it('is written whole behind the head that its writer remembers', async () => {
      const updates = [[resized('x', 1, 2), resized('y', 1, 3)], [resized('x', 2, 4)]];
      expect(await write({ appends: [alarm('1'), alarm('2')], updates })).toBe(true);
      expect(await state()).toEqual({ head: 'bb 2', sizes: [4, 3], alarms: ['1', '2'] });
    });

    it.each([
      ['another tip', { believed: { ...BELIEVED, tip: 'ab' } }],
      ['another position', { believed: { ...BELIEVED, position: '2' } }],
      ['no head', { org: 'b' }],
    ] as const)('is not written behind %s', async (_, group) => {
      expect(await write({ ...group, appends: [alarm('2')], updates: [[resized('x', 1, 2)]] })).toBe(false);
      expect(await state()).toEqual(UNTOUCHED);
    });

    it('is not written if a row is no longer as it was remembered', async () => {
      const updates = [[resized('x', 1, 2)], [resized('y', 7, 8)]];
      expect(await write({ appends: [alarm('2')], updates })).toBe(false);
      expect(await state()).toEqual(UNTOUCHED);
    });

    it('is not written if one of its new keys exists', async () => {
      const row = { org: 'a', digest: 'y', size: 9 };
      const appends = [alarm('2'), { table: 'artifacts', row } as const];
      expect(await write({ appends, updates: [[resized('x', 1, 2)]] })).toBe(false);
      expect(await state()).toEqual(UNTOUCHED);
      expect(await write({ appends: [alarm('2')] }), 'and the next one is').toBe(true);
    });

    it('is not written far from the instant that it was computed at', async () => {
      expect(await write({ now: now - CLOCK_SLACK_MS - 1 })).toBe(false);
      expect(await write({ now: now + CLOCK_SLACK_MS + 1 })).toBe(false);
      expect(await state()).toEqual(UNTOUCHED);
      expect(await write({ now: now - CLOCK_SLACK_MS })).toBe(true);
    });

    it('is one of several on the same head: the others are not written', async () => {
      const groups = ['2', '3', '4'].map((position) =>
        write({ head: { ...AFTER, tip: `c${position}` }, appends: [alarm(position)] }),
      );
      const written = await Promise.all(groups);
      expect(written.filter(Boolean)).toHaveLength(1);
      const position = ['2', '3', '4'][written.indexOf(true)] ?? '';
      expect(await state()).toMatchObject({ head: `c${position} 2`, alarms: [position] });
    });

    it('waits for the transaction that holds the head, and is not written if that moves the tip', async () => {
      const held = withResolvers();
      const locked = withResolvers();
      const moving = store.transact(async (tx) => {
        await tx.lock('heads', { org: 'a' });
        locked.resolve();
        await held.promise;
        await tx.update('heads', { org: 'a' }, {}, { tip: 'zz' });
      });
      await locked.promise;
      const group = write({ appends: [alarm('2')] });
      held.resolve();
      expect([await group, await moving]).toEqual([false, undefined]);
      expect(await state()).toEqual({ ...UNTOUCHED, head: 'zz 1' });
    });

    it('is computed at the clock that the store has by memory', async () => {
      await store.transact((tx) => tx.now());
      expect(store.clockByMemory?.()).toBe(now);
    });
  });
}

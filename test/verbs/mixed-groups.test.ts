import { describe, expect, it } from 'vitest';
import { sharingHost } from '../../src/evidence/door/host.ts';
import { submit } from '../../src/evidence/submit/submit.ts';
import { acquire } from '../../src/ownership/acquire.ts';
import { heartbeat } from '../../src/ownership/heartbeat.ts';
import type { Store } from '../../src/store/port.ts';
import { KEYS, type Table } from '../../src/store/schema.ts';
import { type Lab, newLab, SOURCE } from './driver.ts';
import { building, running } from './life.ts';
import { granted } from './names.ts';

/** A lab whose server shares groups and remembers; it says how each was written. */
function rememberingLab(): { readonly lab: Lab; readonly how: string[] } {
  const lab = newLab();
  const how: string[] = [];
  const store: Store = {
    read: (work) => lab.store.read(work),
    transact(work, lane) {
      if (lane !== 'liveness') how.push('transaction');
      return lab.store.transact(work);
    },
    async writeChained(group) {
      const isWritten = await lab.store.writeChained(group);
      how.push(isWritten ? 'by memory' : 'refused');
      return isWritten;
    },
    clockByMemory: () => lab.store.clockByMemory(),
  };
  Object.assign(lab, { host: sharingHost(store, lab.host.settings) });
  return { lab, how };
}

/** Every row but the tips, which are random. */
const rowsOf = (lab: Lab) =>
  Object.fromEntries(
    (Object.keys(KEYS) as Table[]).map((table) => [
      table,
      lab.rows(table).map((row) => ('tip' in row ? { ...row, tip: '' } : row)),
    ]),
  );

describe('a server that remembers', () => {
  it('leaves the rows of a whole deployment as one leaves them that locks each time', async () => {
    const { lab, how } = rememberingLab();
    const locked = newLab();
    for (const one of [lab, locked]) await running(one);
    expect(rowsOf(lab)).toEqual(rowsOf(locked));
    expect(how.filter((way) => way === 'by memory').length).toBeGreaterThan(3);
    expect(how).not.toContain('refused');
  });

  it('answers a request for work, an acknowledgement and evidence with one write', async () => {
    const { lab, how } = rememberingLab();
    const [ana, ben] = [await building(lab), lab.builder('builder-b')];
    expect(await ben.acquire()).toBeNull();
    for (const service of ['api@lab', 'cart@lab', 'shop@lab']) await lab.deploy(SOURCE, {}, { service });
    await lab.publish();
    const first = await ben.offer();
    how.length = 0;
    const { offer } = first;
    const request = { kinds: ['build'] as const, worker: 'builder-c', instance: 'builder-c-1' };
    const cleo = lab.builder('builder-c');
    const [asked, held, [verdict]] = await Promise.all([
      acquire(lab.host, ana.taker.caller, { ...request, worker: 'builder-a', instance: 'builder-a-1' }),
      heartbeat(lab.host, ben.caller, offer.id, offer.fence),
      submit(lab.host, ana.taker.caller, [ana.item('build.progress', { step: 1, total: 2 })]),
    ]);
    expect(how).toEqual(['by memory']);
    expect(granted(asked).offers.map(({ service }) => service)).toEqual(['cart@lab']);
    expect(granted(held).superseded).toBe(false);
    expect(verdict?.verdict).toBe('admitted');
    // Somebody who is not known yet gets a row of its own, for which the group takes the lock.
    how.length = 0;
    const [next] = await Promise.all([
      acquire(lab.host, cleo.caller, request),
      submit(lab.host, ana.taker.caller, [ana.item('build.progress', { step: 2, total: 2 })]),
    ]);
    expect(granted(next).offers.map(({ service }) => service)).toEqual(['shop@lab']);
    expect(how).toEqual(['transaction', 'transaction']);
  });

  it('offers one command to one of those who ask at two servers', async () => {
    const { lab, how } = rememberingLab();
    const ana = await building(lab);
    const ben = lab.builder('builder-b');
    expect(await ben.acquire()).toBeNull();
    await lab.deploy(SOURCE, {}, { service: 'api@lab' });
    await lab.publish();
    // The other server offers it without the head: this one finds that the command has moved when it writes.
    const other = { store: lab.store, settings: lab.host.settings };
    const read = lab.host.store.read.bind(lab.host.store);
    let overtaken = false;
    Object.assign(lab.host.store, {
      async read(work: Parameters<Store['read']>[0]) {
        const answer = await read(work);
        if (!overtaken) {
          overtaken = true;
          const request = { kinds: ['build'] as const, worker: 'builder-z', instance: 'builder-z-1' };
          await acquire(other, lab.builder('builder-z').caller, request);
        }
        return answer;
      },
    });
    how.length = 0;
    const request = { kinds: ['build'] as const, worker: 'builder-b', instance: 'builder-b-1' };
    const [asked] = await Promise.all([
      acquire(lab.host, ben.caller, request),
      submit(lab.host, ana.taker.caller, [ana.item('build.progress', { step: 1, total: 2 })]),
    ]);
    expect(how).toEqual(['refused', 'transaction', 'transaction']);
    expect(granted(asked).offers).toEqual([]);
    expect(lab.rows('leases').filter(({ service }) => service === 'api@lab')).toHaveLength(1);
  });
});

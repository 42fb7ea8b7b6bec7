import { expect, it } from 'vitest';
import type { Host } from '../../src/evidence/door/host.ts';
import { sweep } from '../../src/repair/sweep.ts';
import { OrgImages } from '../../src/store/org-image.ts';
import type { Store, Tx } from '../../src/store/port.ts';
import type { Table } from '../../src/store/schema.ts';
import { instance } from './agent.ts';
import { newLab, ORG } from './driver.ts';

const REFS = Array.from({ length: 30 }, (_, i) => `s${i}@lab`);
const SWEEPER = { name: 'sweeper', instance: 'server-2' };

/** Services that run, at a target whose agent is about to fall silent. */
async function running(lab = newLab()) {
  for (const service of REFS) await lab.deploy({ kind: 'observe' }, { port: null }, { service });
  const agent = await lab.agent().register();
  const report = (ready: boolean) =>
    agent.sees(
      REFS.map((service) => instance(service, { service, template: 'f00d', ready })),
      REFS.map((service) => ({ service, template: 'f00d', replicas: 1 })),
    );
  for (let i = 0; i < 3; i++) {
    await report(true);
    await lab.tick(3_000);
  }
  const states = () => new Set(lab.rows('services').map(({ state }) => state));
  expect(states()).toEqual(new Set(['running']));
  return { lab, report, states };
}

/** The same store, with the tables that a transaction reads by rows. */
function watched(store: Store, read: Set<Table>): Store {
  const transact = store.transact.bind(store);
  return {
    read: (work) => store.read(work),
    transact: (work) =>
      transact((tx) => {
        const reading = Object.create(tx) as Tx;
        reading.now = () => tx.now();
        reading.get = (table, key) => tx.get(read.add(table) && table, key);
        reading.select = (table, where, options) => tx.select(read.add(table) && table, where, options);
        reading.selectKeys = (...asked) => tx.selectKeys(...asked);
        reading.readAll = (asked) => {
          for (const each of asked) if (each !== 'now') read.add(each.table);
          return tx.readAll(asked);
        };
        for (const name of [
          'lock',
          'insert',
          'append',
          'update',
          'updateAll',
          'updateOrFail',
          'remove',
        ] as const)
          Object.assign(reading, { [name]: tx[name].bind(tx) });
        return work(reading);
      }),
  };
}

it('a sweep reads no service that its process remembers, and records their silence all the same (S2)', async () => {
  const lab = newLab();
  const read = new Set<Table>();
  lab.store.transact = watched(lab.store, read).transact;
  Object.assign(lab.host, { images: new OrgImages() });
  const { states } = await running(lab);
  // The platform stays awake: a sweep after a longer pause first records that it was blind.
  await lab.tick(11_500);
  expect(states()).toEqual(new Set(['running']));
  lab.sleep(1_000);
  read.clear();
  await lab.sweep();
  expect(states()).toEqual(new Set(['unknown']));
  for (const table of ['services', 'revisions']) expect([...read]).not.toContain(table);
});

it('what another server has written since is read again', async () => {
  const { lab, report, states } = await running();
  const read = new Set<Table>();
  const host: Host = { ...lab.host, store: watched(lab.store, read), images: new OrgImages() };
  lab.sleep(15_000);
  await sweep(host, SWEEPER, ORG);
  expect(states()).toEqual(new Set(['unknown']));
  // The lab is the other server: its report ends the silence, and says that nothing is ready any more.
  await report(false);
  expect(states()).toEqual(new Set(['degraded']));
  // Its sweeper keeps the platform awake until just before the next silence.
  await lab.tick(14_500);
  lab.sleep(1_000);
  read.clear();
  await sweep(host, SWEEPER, ORG);
  expect([...read]).toContain('services');
  expect(states()).toEqual(new Set(['unknown']));
  const last = lab.rows('transitions').slice(-REFS.length);
  expect(new Set(last.map(({ from }) => from))).toEqual(new Set(['degraded']));
});

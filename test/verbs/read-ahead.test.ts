import { expect, it } from 'vitest';
import { RowsAhead } from '../../src/evidence/door/rows-ahead.ts';
import { readAhead } from '../../src/repair/read-ahead.ts';
import type { Read } from '../../src/store/port.ts';
import type { Rows, Table } from '../../src/store/schema.ts';
import { instance } from './agent.ts';
import { type Lab, newLab, ORG } from './driver.ts';

/** More than one transaction of a sweep records. */
const SERVICES = 1_100;
const refs = Array.from({ length: SERVICES }, (_, i) => `s${String(i).padStart(4, '0')}@lab`);

/** A target with many observed services that run, whose agent was last heard 14 s ago: silent in one second. */
async function overdue(reads: boolean) {
  const lab = newLab();
  const { host } = lab;
  if (reads) Object.assign(host, { ahead: new RowsAhead() });
  for (const service of refs) await lab.deploy({ kind: 'observe' }, {}, { service });
  const agent = await lab.agent().register();
  const all = refs.map((service) => instance(service, { service, template: 'f00d' }));
  await agent.sees(all);
  await lab.tick(3_000);
  await agent.heartbeat();
  await lab.tick(14_000);
  await readAhead(host, ORG);
  return { lab, agent, all };
}

/** The tables that a sweep reads row by row or by predicate while it runs. */
async function readBySweep(lab: Lab): Promise<ReadonlySet<Table>> {
  const tables = new Set<Table>();
  const transact = lab.store.transact.bind(lab.store);
  lab.store.transact = (work) =>
    transact((tx) => {
      const [select, readAll] = [tx.select.bind(tx), tx.readAll.bind(tx)];
      tx.select = (table, ...rest) => select(tables.add(table) && table, ...rest);
      tx.readAll = (asked) => {
        for (const each of asked)
          if (each !== 'now' && !('keys' in each && each.keys.length === 0)) tables.add(each.table);
        return readAll(asked);
      };
      return work(tx);
    });
  lab.sleep(1_000);
  await lab.sweep();
  lab.store.transact = transact;
  return tables;
}

const TABLES = ['services', 'transitions', 'scopes', 'heads', 'ledger'] as const;
const rowsOf = (lab: Lab): { [T in (typeof TABLES)[number]]?: Rows[T][] } =>
  Object.fromEntries(TABLES.map((table) => [table, lab.rows(table)]));

it('a sweep records what was read ahead, and reads none of it again (S2)', async () => {
  const [ahead, plain] = [await overdue(true), await overdue(false)];
  const [read, readPlain] = [await readBySweep(ahead.lab), await readBySweep(plain.lab)];
  expect([...readPlain]).toEqual(expect.arrayContaining(['services', 'revisions']));
  expect([...read]).not.toContain('services');
  expect([...read]).not.toContain('revisions');
  expect(rowsOf(ahead.lab)).toEqual(rowsOf(plain.lab));
  expect(ahead.lab.rows('services').every(({ state }) => state === 'unknown')).toBe(true);
});

const READS: ReadonlySet<string | symbol> = new Set(['get', 'lock', 'select', 'readAll']);
const isEmpty = (read: Read) => read !== 'now' && 'keys' in read && read.keys.length === 0;

it('what decides whether a page is used is read with the head’s lock (S2)', async () => {
  const { lab } = await overdue(true);
  const reads: number[] = [];
  const transact = lab.store.transact.bind(lab.store);
  lab.store.transact = (work) =>
    transact((tx) => {
      const at = reads.push(0) - 1;
      const counting = new Proxy(tx, {
        get(target, name) {
          const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
          return (...args: unknown[]) => {
            const asksNothing = name === 'readAll' && (args[0] as Read[]).every(isEmpty);
            if (READS.has(name) && !asksNothing) reads[at] = (reads[at] ?? 0) + 1;
            return method.apply(target, args);
          };
        },
      });
      return work(counting);
    });
  lab.sleep(1_000);
  await lab.sweep();
  expect(lab.rows('services').every(({ state }) => state === 'unknown')).toBe(true);
  // The beat before them reads for itself. These services have open attempts: two more reads are for opening them.
  expect(reads.slice(1)).toEqual([3, 3]);
});

it('nothing is read ahead for an agent that is in time', async () => {
  const { lab, agent } = await overdue(false);
  Object.assign(lab.host, { ahead: new RowsAhead() });
  await agent.heartbeat();
  lab.sleep(1_000);
  await readAhead(lab.host, ORG);
  lab.sleep(14_000);
  expect([...(await readBySweep(lab))]).toContain('services');
});

it.each([
  ['a deploy', (lab: Lab) => lab.deploy({ kind: 'observe' }, { replicas: 2 }, { service: 's0003@lab' })],
  ['a new service', (lab: Lab) => lab.deploy({ kind: 'observe' }, {}, { service: 's0003a@lab' })],
  ['a recovery', (lab: Lab) => lab.recover()],
])('%s after the reading is not overlooked (S1)', async (_, change) => {
  const [ahead, plain] = [await overdue(true), await overdue(false)];
  for (const { lab } of [ahead, plain]) {
    await change(lab);
    lab.sleep(1_000);
    await lab.sweep();
  }
  expect(rowsOf(ahead.lab)).toEqual(rowsOf(plain.lab));
});

it('a write that leaves the ledger as it is makes the sweep read again', async () => {
  const [ahead, plain] = [await overdue(true), await overdue(false)];
  const key = { org: ORG, service: 's0003@lab' };
  for (const { lab } of [ahead, plain])
    await lab.store.transact((tx) => tx.update('services', key, {}, { due: lab.now + 60_000 }));
  const read = await readBySweep(ahead.lab);
  await readBySweep(plain.lab);
  expect([...read]).toContain('services');
  expect(rowsOf(ahead.lab)).toEqual(rowsOf(plain.lab));
});

it('a report after the reading ends the silence before it is recorded', async () => {
  const { lab, agent, all } = await overdue(true);
  await agent.sees(all);
  lab.sleep(1_000);
  await lab.sweep();
  expect(lab.rows('services').some(({ state }) => state === 'unknown')).toBe(false);
});

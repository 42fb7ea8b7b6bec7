import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../projection/facts.ts';
import { MemoryStore } from '../store/memory.ts';
import type { HeadRow, IncarnationRow } from '../store/schema.ts';
import { readWitness, type Witness } from '../store/witness.ts';
import { findRecovery, Incarnation, type StoreState } from './incarnation.ts';

const head = (org: string, position: string): HeadRow => ({
  org,
  position,
  at: 1,
  recoveredAt: null,
  floor: 0,
});
const begun = (
  ordinal: number,
  system: string | null = '7',
  timeline: string | null = '1',
): IncarnationRow => ({
  ordinal,
  id: `i${ordinal}`,
  at: 1,
  why: 'created',
  system,
  timeline,
});
const found: StoreState = {
  identity: { system: '7', timeline: '1' },
  incarnations: [begun(1)],
  heads: [head('a', '10')],
};
const witness: Witness = { format: 1, incarnation: 'i1', orgs: { a: { position: '10', floor: 0 } } };

describe('the loss that an opened store shows', () => {
  it('none after a restart: the same cluster, timeline and head', () => {
    expect(findRecovery(witness, found)).toBeNull();
    expect(findRecovery(witness, { ...found, heads: [head('a', '11'), head('b', '1')] })).toBeNull();
    expect(findRecovery(null, found)).toBeNull();
  });

  it.each<[string, Witness | null, Partial<StoreState>, string, RegExp]>([
    [
      'another cluster',
      null,
      { identity: { system: '8', timeline: '1' } },
      'restored',
      /system identifier is 8/,
    ],
    [
      'a failover',
      null,
      { identity: { system: '7', timeline: '2' } },
      'failed_over',
      /timeline is 2, and was 1/,
    ],
    [
      'a failover of one that does not tell which cluster it is',
      null,
      { identity: { system: null, timeline: '2' } },
      'failed_over',
      /timeline is 2, and was 1/,
    ],
    ['a lower head', witness, { heads: [head('a', '9')] }, 'restored', /of a ends at 9, and had come to 10/],
    ['a missing org', witness, { heads: [] }, 'restored', /ends at 0/],
    ['another incarnation', { ...witness, incarnation: 'i9' }, {}, 'restored', /does not know .* i9/],
    ['an empty database', witness, { incarnations: [], heads: [] }, 'restored', /does not know/],
  ])('%s', (_, witness, changed, why, reason) => {
    const finding = findRecovery(witness, { ...found, ...changed });
    expect(finding?.why).toBe(why);
    expect(finding?.reason).toMatch(reason);
  });

  it('none where another server has recovered since, or the database has no identity', () => {
    const later = { ...found, incarnations: [begun(1, '6', '1'), begun(2)], heads: [head('a', '1000010')] };
    expect(findRecovery(witness, later)).toBeNull();
    expect(findRecovery(witness, { ...found, identity: null })).toBeNull();
    expect(findRecovery(witness, { ...found, identity: { system: '7', timeline: null } })).toBeNull();
    expect(findRecovery(witness, { ...found, incarnations: [begun(1, null, null)] })).toBeNull();
  });
});

describe('the witness', () => {
  let dir: string;
  let store: MemoryStore;
  let ids = 0;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'evident-witness-'));
    store = new MemoryStore(() => 5);
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const open = (at = dir) =>
    Incarnation.open({ store, settings: DEFAULT_SETTINGS }, at, { newId: () => `i${++ids}` });
  const write = (row: HeadRow) =>
    store.transact(async (tx) => {
      if (!(await tx.insert('heads', row))) await tx.update('heads', row, {}, row);
    });
  const file = () => readFileSync(join(dir, 'witness.json'), 'utf8');

  it('is written when a store is created, when its head grows, and when it is closed', async () => {
    const life = await open();
    expect(life.opened).toBeNull();
    expect(await readWitness(dir)).toEqual({ format: 1, incarnation: life.id, orgs: {} });
    await write(head('a', '3'));
    expect(await life.look()).toBeNull();
    const looked = file();
    expect(JSON.parse(looked).orgs).toEqual({ a: { position: '3', floor: 0 } });
    await write(head('a', '4'));
    expect(file(), 'only a look writes').toBe(looked);
    await life.close();
    expect(JSON.parse(file()).orgs.a.position).toBe('4');
    expect((await open()).opened).toBeNull();
  });

  it('finds a head that went back, also under a running process, once', async () => {
    await write(head('a', '30'));
    const life = await open();
    await write(head('a', '7'));
    expect(await life.look()).toMatchObject({
      why: 'restored',
      orgs: [{ org: 'a', void: { from: '7', to: '1000030' } }],
    });
    expect(await life.look()).toBeNull();
    expect((await open()).opened).toBeNull();
    expect([...store.tables.incarnations.values()].map((row) => row.why)).toEqual(['created', 'restored']);
  });

  it('of two servers that look at once, one recovers', async () => {
    await write(head('a', '30'));
    const [one, two] = [await open(), await open(mkdtempSync(join(dir, 'two-')))];
    await write(head('a', '7'));
    const done = await Promise.all([one.look(), two.look()]);
    expect(done.filter((d) => d !== null)).toHaveLength(1);
  });

  it.each([
    ['position', { position: '9'.repeat(18), floor: 0 }],
    ['floor', { position: '31', floor: 10 ** 15 }],
  ])('whose %s exceeds all numbers is refused before it is used for a recovery', async (_, reach) => {
    await write(head('a', '30'));
    const { id } = await open();
    const beyond = { format: 1, incarnation: id, orgs: { a: reach } };
    writeFileSync(join(dir, 'witness.json'), JSON.stringify(beyond));
    for (let n = 0; n < 2; n++)
      await expect(open()).rejects.toThrow(
        /^The ledger of a would be at .*Nothing was changed.*remove the file/,
      );
    expect([...store.tables.incarnations.values()].map((row) => row.why)).toEqual(['created']);
    rmSync(join(dir, 'witness.json'));
    expect((await open()).opened).toBeNull();
  });

  it('that cannot be read is refused with what to do', async () => {
    writeFileSync(join(dir, 'witness.json'), '{"format":1,"incar');
    await expect(open()).rejects.toThrow(/cannot be read.*Remove the file.*evident recovered/);
  });
});

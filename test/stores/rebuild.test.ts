import { expect, it } from 'vitest';
import { lastSettings, recordSettings } from '../../src/evidence/past/settings-then.ts';
import { DEFAULT_SETTINGS } from '../../src/projection/facts.ts';
import type { RowDifference } from '../../src/repair/difference.ts';
import { rebuild } from '../../src/repair/rebuild.ts';
import { isIntact, readable } from '../../src/store/broken-row.ts';
import type { Tx } from '../../src/store/port.ts';
import { ORG, type Platform, SOURCE, WEB } from '../verbs/driver.ts';
import { running } from '../verbs/life.ts';
import { describeOnBoth } from './both-databases.ts';

async function run(lab: Platform, replace: boolean) {
  const differences: RowDifference[] = [];
  const result = await rebuild(lab.host, { replace, onDifference: (d) => differences.push(d) });
  return { result, found: differences.map((d) => `${d.table} ${d.row} ${d.column}`).toSorted() };
}

/** A service with a past: a silence, a late worker, three revisions, one of them superseded. */
async function withPast(lab: Platform): Promise<void> {
  const agent = await running(lab);
  await agent.watches(5_000);
  await lab.tick(20_000);
  await agent.heartbeat();
  await lab.deploy(SOURCE);
  await lab.publish();
  await lab.builder().take();
  await lab.tick(31_000);
  await lab.deploy(SOURCE);
}

const SERVICE = { org: ORG, service: WEB };

describeOnBoth('rebuilding', (newPlatform) => {
  it('finds no difference where the store is intact', async () => {
    const lab = await newPlatform({ checkpointEvery: 5 });
    await withPast(lab);
    const { result, found } = await run(lab, false);
    expect(found).toEqual([]);
    expect(result).toMatchObject({ services: 1, differences: 0, left: 0 });
    expect(result.rows).toBeGreaterThan(10);
  }, 60_000);

  it('judges each transition by the settings of when it was written', async () => {
    const lab = await newPlatform({ freshForMs: 2_000, reportEveryMs: 500 });
    await recordSettings(lab.host);
    await withPast(lab);
    const patient = { ...lab.host, settings: DEFAULT_SETTINGS };
    const differences: RowDifference[] = [];
    await rebuild(patient, { replace: false, onDifference: (d) => differences.push(d) });
    expect(differences).toEqual([]);
    await lab.tick(1_000);
    await recordSettings(patient);
    expect(await lastSettings(lab.store)).toEqual(DEFAULT_SETTINGS);
    await rebuild(patient, { replace: false, onDifference: (d) => differences.push(d) });
    expect(differences).toEqual([]);
  }, 60_000);

  const CHANGES: readonly [string, (tx: Tx) => Promise<number>, readonly string[]][] = [
    ['facts', (tx) => tx.update('services', SERVICE, {}, { proven: {} }), [`services ${WEB} proven`]],
    [
      'an outcome',
      (tx) => tx.update('services', SERVICE, {}, { outcome: 'succeeded' }),
      [`services ${WEB} outcome`],
    ],
    [
      'an attempt',
      (tx) => tx.update('attempts', { ...SERVICE, revision: 2, attempt: 1 }, {}, { outcome: 'succeeded' }),
      ['attempts 2.1 outcome'],
    ],
    [
      'the claim',
      (tx) => tx.update('services', SERVICE, {}, { state: 'running', since: 7 }),
      [`services ${WEB} since`, `services ${WEB} state`],
    ],
  ];

  it('finds rows that were changed outside of the ledger, and replaces them', async () => {
    const lab = await newPlatform({ checkpointEvery: 5 });
    await withPast(lab);
    const before = await lab.claim();
    for (const [name, lie, expected] of CHANGES) {
      expect(await lab.store.transact(lie), name).toBe(1);
      expect((await run(lab, false)).found, name).toEqual(expected);
      expect((await run(lab, true)).result, name).toMatchObject({ replaced: 1, left: 0 });
      expect((await run(lab, false)).found, name).toEqual([]);
      await lab.sweep();
      expect(await lab.claim(), name).toEqual(before);
    }
    expect((await run(lab, false)).found).toEqual([]);
  }, 60_000);

  it('finds a changed checkpoint and a changed transition, and replaces them', async () => {
    const lab = await newPlatform({ checkpointEvery: 5 });
    await withPast(lab);
    const [checkpoint] = await lab.store.read((tx) =>
      tx.select('checkpoints', SERVICE, { order: 'position' }),
    );
    const was = (await lab.transitions()).at(-1);
    if (checkpoint === undefined || !isIntact(checkpoint) || was === undefined)
      throw new Error('there are both');
    await lab.store.transact(async (tx) => {
      await tx.update('checkpoints', checkpoint, {}, { proven: {} });
      await tx.update('transitions', was, {}, { to: 'failed', revision: 1 });
    });
    expect((await run(lab, false)).found).toEqual([
      `checkpoints ${readable(checkpoint).position} proven`,
      `transitions ${was.position} revision`,
      `transitions ${was.position} to`,
    ]);
    await run(lab, true);
    expect((await run(lab, false)).found).toEqual([]);
    expect((await lab.transitions()).at(-1)).toEqual(was);
  }, 60_000);

  it('writes a missing transition again at its own position, and leaves its neighbours unchanged', async () => {
    const lab = await newPlatform();
    await withPast(lab);
    const before = await lab.transitions();
    for (const gone of before) {
      await lab.store.transact((tx) => tx.remove('transitions', gone, {}));
      const { result, found } = await run(lab, true);
      expect(found, gone.position).toContain(`transitions ${gone.position} position`);
      expect(result, gone.position).toMatchObject({ damage: 0, replaced: 1, left: 0 });
      expect(await lab.transitions()).toEqual(before);
      expect((await run(lab, false)).found).toEqual([]);
    }
  }, 60_000);

  it('replaces nothing where evidence is missing, since its content cannot be reconstructed', async () => {
    const lab = await newPlatform({ checkpointEvery: 5 });
    await withPast(lab);
    const service = () => lab.store.read((tx) => tx.get('services', SERVICE));
    const [before, transitions] = [await service(), await lab.transitions()];
    const gone = (await lab.evidence()).find(({ kind }) => kind === 'runtime.applied');
    if (gone === undefined) throw new Error('it was applied');
    await lab.store.transact((tx) => tx.remove('ledger', gone, {}));
    const { result, found } = await run(lab, true);
    const [after, next] = [Number(gone.position) - 1, Number(gone.position) + 1];
    expect(found).toContain(`ledger between ${after} and ${next} position`);
    expect(found.filter((line) => line.startsWith('checkpoints'))).not.toEqual([]);
    expect(result).toMatchObject({ replaced: 0, damage: 1, left: found.length });
    expect([await service(), await lab.transitions()]).toEqual([before, transitions]);
  }, 60_000);
});

import { describe, expect, it } from 'vitest';
import { sampleRow } from '../../components/sample-rows.ts';
import { serviceCounts, troubledServices, troubledWords } from './counts.ts';

const said = (services: Parameters<typeof serviceCounts>[1], heard: 'now' | 'earlier' | 'never' = 'now') =>
  serviceCounts('lab', services, heard).map(({ count, word }) => `${count} ${word}`);

describe('the services of a target', () => {
  const mixed = (['running', 'building', 'starting', 'failed', 'failed'] as const).map((state) =>
    sampleRow({ state }),
  );

  it('are counted by state, trouble first, and each count leads to the list of them', () => {
    expect(said(mixed)).toEqual(['2 failed', '2 in progress', '1 running']);
    expect(serviceCounts('lab', mixed, 'now').map(({ address }) => address)).toEqual([
      '/?target=lab&state=failed',
      '/?target=lab&show=in%20progress',
      '/?target=lab&state=running',
    ]);
  });

  it('are last known at a silent target, whatever was proven of them', () => {
    const old = sampleRow({ state: 'running', isOld: true });
    const counts = serviceCounts('lab', [old, sampleRow({ state: 'starting' })], 'earlier');
    expect(counts.map(({ word }) => word)).toEqual(['running when last seen', 'starting when last seen']);
    for (const { mark, isLastKnown } of counts) expect([mark, isLastKnown]).toEqual(['unknown', true]);
    expect(said([sampleRow({ state: 'failed' })], 'earlier')).toEqual(['1 failed when last seen']);
    const waits = sampleRow({ state: 'artifact_ready', serving: 1, wanted: 2 });
    const lastServing = { revision: 1, attempt: 1, asOf: waits.claim.now, ageMs: 0 };
    const freshness = { ...waits.claim.freshness, freshForMs: null };
    expect(said([{ ...waits, claim: { ...waits.claim, lastServing, freshness } }], 'earlier')).toEqual([
      '1 running when last seen',
    ]);
    expect(said(mixed, 'never')).toEqual(['5 never seen there']);
  });

  it('that failed are named in the row, and not while nobody can tell', () => {
    const failed = sampleRow({ state: 'failed', ref: 'hello@lab' });
    expect(troubledWords(troubledServices([failed], false))).toBe('hello failed');
    expect(troubledWords(troubledServices([sampleRow({ state: 'degraded' }), failed], false))).toBe(
      '1 failed, 1 degraded: 2 serve nothing',
    );
    const served = sampleRow({ state: 'failed', ref: 'docs@lab', serving: 1, wanted: 2 });
    const both = troubledServices([served, failed], false);
    expect(
      both.map(({ claim }) => claim.service),
      'what serves nothing comes first',
    ).toEqual([...['hello@lab', 'docs@lab']]);
    expect(troubledWords(both)).toBe('2 failed: 1 serves nothing');
    const up = { ...sampleRow({ state: 'failed', ref: 'loop@lab', serving: 1 }), isUpForNow: true };
    expect(troubledWords(troubledServices([...both, up], false))).toBe(
      '3 failed: 1 serves nothing, 1 is up for now',
    );
    expect(troubledServices([failed], true)).toEqual([]);
  });
});

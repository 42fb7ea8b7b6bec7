import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/contract/claim.ts';
import { archive } from '../../src/repair/archive.ts';
import type { MovedRow } from '../../src/repair/moved-row.ts';
import { rebuild } from '../../src/repair/rebuild.ts';
import { type Lab, newLab, ORG, type Platform, Refused, T0 } from './driver.ts';
import { live, lives } from './random-life.ts';

const DAY = 24 * 3_600_000;
const SERVICES = ['web@lab', 'api@lab'];

async function moveOut(lab: Platform, before: number, remove = true, keepRevisions = 1) {
  const moved: MovedRow[] = [];
  const counts = await archive(lab.host, ORG, {
    policy: { before, keepRevisions },
    remove,
    moved: async (rows) => void moved.push(...rows),
  });
  return { moved, counts };
}

async function claimThen(lab: Lab, at: number, service: string): Promise<Claim | string> {
  try {
    return await lab.claimAt(at, service);
  } catch (error) {
    if (error instanceof Refused) return error.code;
    throw error;
  }
}

describe('archiving, in any random life', () => {
  it('removes the instants before its border, and every later claim stays the same', async () => {
    let compared = 0;
    let gone = 0;
    await fc.assert(
      fc.asyncProperty(lives(60), fc.double({ min: 0.1, max: 0.9, noNaN: true }), async (steps, share) => {
        const lab = newLab({ checkpointEvery: 8 });
        await live(lab, steps);
        const border = Math.round(T0 + (lab.now - T0) * share);
        const instants = Array.from({ length: 12 }, (_, i) =>
          Math.round(border + ((lab.now - border) * i) / 11),
        );
        lab.now += 2 * DAY;
        const claims = async () => {
          const all: (Claim | string)[] = [];
          for (const at of instants)
            for (const service of SERVICES) all.push(await claimThen(lab, at, service));
          return all;
        };
        const before = await claims();
        const now = await Promise.all(SERVICES.map((service) => claimThen(lab, lab.now, service)));
        await moveOut(lab, border);
        const { moved } = await moveOut(lab, border);
        expect(moved, 'a second run finds nothing').toEqual([]);
        assert.deepEqual(await claims(), before);
        assert.deepEqual(await Promise.all(SERVICES.map((s) => claimThen(lab, lab.now, s))), now);
        const ids = new Set(lab.rows('ledger').map((row) => row.id));
        for (const claim of before) {
          if (typeof claim === 'string') continue;
          compared += 1;
          for (const id of claim.proof.evidence) assert.ok(ids.has(id), `${id} is cited (S14, F16)`);
        }
        const kept = lab.rows('retention')[0];
        if (kept !== undefined) {
          for (const service of SERVICES) {
            const answer = await claimThen(lab, border - 1, service);
            assert.ok(answer === 'before_retention' || answer === 'not_found', JSON.stringify(answer));
            if (answer === 'before_retention') gone += 1;
          }
        }
        const differences: unknown[] = [];
        await rebuild(lab.host, { replace: false, onDifference: (d) => differences.push(d) });
        expect(differences).toEqual([]);
      }),
      { numRuns: Number(process.env.LIVES ?? 40) },
    );
    expect(compared).toBeGreaterThan(200);
    expect(gone).toBeGreaterThan(10);
  }, 120_000);
});

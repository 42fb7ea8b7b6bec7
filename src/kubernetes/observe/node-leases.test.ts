import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepNodeLease } from '../cache/node.ts';
import {
  isBackFor,
  NO_LEASES,
  type NodeLeases,
  nodeWord,
  observeLeases,
  silenceLimitMs,
} from './node-leases.ts';

const lease = (renewTime: number, seconds = 40, name = 'n1') => {
  const record = keepNodeLease({
    metadata: { name, namespace: 'kube-node-lease', uid: name, resourceVersion: String(renewTime + 1) },
    spec: { renewTime: `t${renewTime}`, leaseDurationSeconds: seconds },
  });
  if (record === null) throw new Error('no record');
  return record;
};

/** Looks every second. `renewsAt` and `isProven` say what the node and our watch do. */
function live(
  seconds: number,
  world: {
    renewed: (second: number) => number;
    isProven: (second: number) => boolean;
    duration?: number;
    isGivenUp?: (second: number) => boolean;
  },
): { leases: NodeLeases; words: string[] } {
  let leases = NO_LEASES;
  let provenAt: number | null = null;
  const words: string[] = [];
  for (let second = 0; second <= seconds; second++) {
    const now = second * 1000;
    // A proof every five seconds, of three seconds ago.
    if (second % 5 === 0 && world.isProven(second)) provenAt = now - 3_000;
    const givenUp = new Set(world.isGivenUp?.(second) ? ['n1'] : []);
    leases = observeLeases(leases, [lease(world.renewed(second), world.duration)], provenAt, now, givenUp);
    words.push(nodeWord(leases, 'n1', now).kind);
  }
  return { leases, words };
}

const everyTen = (second: number) => Math.floor(second / 10);

describe('a node', () => {
  it('is not heard before its lease was seen to change, and alive from then on', () => {
    const { words } = live(60, { renewed: everyTen, isProven: () => true });
    expect(words.slice(0, 10)).toEqual(Array(10).fill('not_yet'));
    expect(new Set(words.slice(10))).toEqual(new Set(['alive']));
  });

  it('is silent once its lease was not renewed for the limit, and alive when it is again (rule 5)', () => {
    const renewed = (second: number) => (second < 20 ? everyTen(second) : second < 80 ? 1 : everyTen(second));
    const { words } = live(100, { renewed, isProven: () => true });
    // 25 s after the renewal at 10 s.
    expect(words[34]).toBe('alive');
    expect(words[36]).toBe('silent');
    expect(words[79]).toBe('silent');
    // Its first word may be from before the silence.
    expect(words[80]).toBe('back');
    expect(words.at(-1)).toBe('alive');
  });

  it('that was given up is not believed until its kubelet has taken that back, and a little longer (rule 5)', () => {
    const isGivenUp = (second: number) => second >= 30 && second < 40;
    const { leases, words } = live(55, { renewed: everyTen, isProven: () => true, isGivenUp });
    expect(words[29]).toBe('alive');
    expect(new Set(words.slice(30, 49))).toEqual(new Set(['back']));
    expect(words.at(-1)).toBe('alive');
    expect(isBackFor(leases, 'n1', 55_000, 20_000)).toBe(true);
    expect(isBackFor(leases, 'n1', 55_000, 10_000)).toBe(false);
  });

  it('that was silent before we came is silent after the limit, never alive', () => {
    const { words } = live(40, { renewed: () => 7, isProven: () => true });
    expect(words).not.toContain('alive');
    expect(words.at(-1)).toBe('silent');
  });

  it('is not silent because etcd was frozen: nobody could renew, and nobody could see it (F66)', () => {
    const isFrozen = (second: number) => second >= 23 && second < 53;
    const renewed = (second: number) => (isFrozen(second) ? 2 : everyTen(second));
    const { words } = live(90, { renewed, isProven: (second) => !isFrozen(second) });
    expect(words.slice(10)).not.toContain('silent');
  });

  it('without a lease has none', () => {
    expect(nodeWord(NO_LEASES, 'n1', 0)).toEqual({ kind: 'none' });
  });

  it.each([
    [40, 25_000],
    [4, 15_000],
    [null, 25_000],
  ])('with a lease of %s s may be silent for %s ms', (seconds, limit) => {
    expect(silenceLimitMs(seconds)).toBe(limit);
  });

  it('that died is silent once enough time was proven, whatever our watch does between', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        fc.integer({ min: 0, max: 60 }),
        (proofs, diesAt) => {
          const isProven = (second: number) => proofs[Math.floor(second / 5) % 40] ?? true;
          const renewed = (second: number) => everyTen(Math.min(second, diesAt));
          const { leases, words } = live(199, { renewed, isProven });
          // Proven time alone makes a node silent; unproven time never does.
          if (leases.provenMs > 100_000) expect(words.at(-1)).toBe('silent');
        },
      ),
    );
  });
});

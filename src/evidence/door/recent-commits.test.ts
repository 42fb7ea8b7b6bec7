import { describe, expect, it } from 'vitest';
import type { HeadRow } from '../../store/schema.ts';
import type { LedgerEntry } from '../ledger-entry.ts';
import { type RecentCommit, RecentCommits } from './recent-commits.ts';
import type { ServiceFile } from './service-file.ts';

const head = (position: number, at: number): HeadRow => ({
  ...{ org: 'acme', position: String(position), at },
  ...{ recoveredAt: null, floor: 0 },
});
const entry = (position: number) => ({ kind: 'alarm', position: String(position) }) as LedgerEntry;
const left = (service: string, position: string) => ({ service, recorded: { position } }) as ServiceFile;
const row = (service: string, position: string, recordedAt: number) => ({ service, position, recordedAt });

/** A commit of the positions above `from`, up to `to`. */
function commit(
  [from, fromAt]: readonly [number, number],
  [to, toAt]: readonly [number, number],
  files: readonly ServiceFile[] = [],
): RecentCommit {
  const entries = Array.from({ length: to - from }, (_, i) => entry(from + 1 + i));
  const moved = files.map((file) => ({ file, told: null }));
  return { before: head(from, fromAt), after: head(to, toAt), entries, files: moved };
}

function keeping(...commits: readonly RecentCommit[]): RecentCommits {
  const recent = new RecentCommits();
  recent.want('acme');
  for (const each of commits) recent.keep(each);
  return recent;
}

const positions = (entries: readonly LedgerEntry[] | undefined) =>
  entries?.map(({ position }) => Number(position));

describe('services as a transition left them', () => {
  it('are those of the transition that was recorded, and of no other with its position (F54)', () => {
    const recent = keeping(commit([6, 500], [7, 1_000], [left('web@lab', '7')]));
    expect(recent.after('acme', row('web@lab', '7', 1_000))?.at).toBe(1_000);
    expect(recent.after('acme', row('web@lab', '7', 2_000)), 'after a restore').toBeUndefined();
    expect(recent.after('acme', row('api@lab', '7', 1_000))).toBeUndefined();
  });

  it('are kept for several transitions of a service, until the feed has passed them', () => {
    const recent = keeping(
      commit([8, 500], [9, 1_000], [left('web@lab', '9')]),
      commit([9, 1_000], [10, 2_000], [left('web@lab', '10')]),
    );
    expect(recent.after('acme', row('web@lab', '9', 1_000))).toBeDefined();
    recent.forget('acme', '9');
    expect(recent.after('acme', row('web@lab', '9', 1_000))).toBeUndefined();
    expect(recent.after('acme', row('web@lab', '10', 2_000))).toBeDefined();
  });
});

describe('entries', () => {
  it('of commits that build on each other are answered in pages', () => {
    const recent = keeping(commit([0, 0], [3, 100]), commit([3, 100], [5, 200]));
    expect(positions(recent.entriesAfter('0', head(5, 200), 4))).toEqual([1, 2, 3, 4]);
    recent.forget('acme', '4');
    expect(positions(recent.entriesAfter('4', head(5, 200), 4))).toEqual([5]);
    expect(positions(recent.entriesAfter('0', head(5, 200), 4)), 'passed').toBeUndefined();
  });

  it('go on where the feed has passed all that were there before', () => {
    const recent = keeping(commit([0, 0], [3, 100]));
    recent.forget('acme', '3');
    recent.keep(commit([3, 100], [4, 200]));
    expect(positions(recent.entriesAfter('3', head(4, 200), 9))).toEqual([4]);
  });

  it('are read where another process has committed in between', () => {
    const recent = keeping(commit([0, 0], [3, 100]), commit([4, 150], [6, 200]));
    expect(recent.entriesAfter('0', head(6, 200), 9)).toBeUndefined();
    expect(recent.entriesAfter('3', head(6, 200), 9)).toBeUndefined();
    expect(positions(recent.entriesAfter('4', head(6, 200), 9))).toEqual([5, 6]);
  });

  it('are read where another process has committed last', () => {
    const recent = keeping(commit([0, 0], [3, 100]));
    expect(recent.entriesAfter('0', head(4, 150), 9)).toBeUndefined();
  });

  it('that a restore has lost are not taken for those that got their positions (F54)', () => {
    const recent = keeping(commit([0, 0], [5, 100]));
    expect(recent.entriesAfter('0', head(5, 300), 9), 'by another process').toBeUndefined();
    recent.keep(commit([2, 50], [5, 300]));
    expect(recent.entriesAfter('0', head(5, 300), 9), 'by this one').toBeUndefined();
    expect(positions(recent.entriesAfter('2', head(5, 300), 9))).toEqual([3, 4, 5]);
  });

  it('of a recovery are read: it leaves positions out', () => {
    const recovery = { ...commit([3, 100], [1_000, 200]), entries: [entry(1_000)] };
    const recent = keeping(commit([0, 0], [3, 100]), recovery, commit([1_000, 200], [1_001, 300]));
    expect(recent.entriesAfter('3', head(1_000, 200), 9)).toBeUndefined();
    expect(positions(recent.entriesAfter('1000', head(1_001, 300), 9))).toEqual([1_001]);
  });

  it('beyond ten thousand are read', () => {
    const recent = keeping(commit([0, 0], [9_000, 100]), commit([9_000, 100], [10_001, 200]));
    expect(positions(recent.entriesAfter('0', head(9_000, 100), 1))).toEqual([1]);
    expect(recent.entriesAfter('0', head(10_001, 200), 1)).toBeUndefined();
  });
});

import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../evidence/ledger-entry.ts';
import { FedEvidence } from './fed-evidence.ts';

const evidence = (position: string, service: string) =>
  ({
    kind: 'evidence',
    position,
    row: { id: `e${position}`, kind: 'runtime.observed', receivedAt: 7, service, position },
  }) as unknown as LedgerEntry;
const transition = (position: string, service: string) =>
  ({ kind: 'transition', position, row: { service, position } }) as unknown as LedgerEntry;
const newest = (fed: FedEvidence, entries: readonly LedgerEntry[]) =>
  [...fed.readOn(entries)].map(([position, { id }]) => [position, id]);

it('names at each transition the newest evidence of its service before it', () => {
  const fed = new FedEvidence();
  expect(newest(fed, [evidence('1', 'a@x'), evidence('2', 'b@x'), transition('3', 'a@x')])).toEqual([
    ['3', 'e1'],
  ]);
  const later = [
    transition('4', 'b@x'),
    evidence('5', 'a@x'),
    transition('6', 'a@x'),
    transition('7', 'c@x'),
  ];
  expect(newest(fed, later)).toEqual([
    ['4', 'e2'],
    ['6', 'e5'],
  ]);
});

it('names nothing that came after the transition, where a stretch is read again (F124)', () => {
  const fed = new FedEvidence();
  const stretch = [transition('2', 'a@x'), evidence('3', 'a@x'), transition('4', 'a@x')];
  newest(fed, [evidence('1', 'a@x'), ...stretch]);
  expect(newest(fed, stretch)).toEqual([['4', 'e3']]);
});

it('forgets everything with a recovery', () => {
  const fed = new FedEvidence();
  fed.openAt(null);
  newest(fed, [evidence('1', 'a@x')]);
  fed.openAt(null);
  expect(newest(fed, [transition('2', 'a@x')])).toEqual([['2', 'e1']]);
  fed.openAt(5);
  expect(newest(fed, [transition('3', 'a@x')])).toEqual([]);
});

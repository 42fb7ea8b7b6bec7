import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from '../../../src/evidence/door/host.ts';
import type { LedgerEntry } from '../../../src/evidence/ledger-entry.ts';
import { readFrom } from '../../../src/evidence/read.ts';
import { DEFAULT_SETTINGS } from '../../../src/projection/facts.ts';
import { readable } from '../../../src/store/broken-row.ts';
import { openStore, type StoreLocation } from '../open-store.ts';
import { printLine } from '../print-line.ts';
import { SHARED } from './writer.ts';

/** A process that polls the shared org from a position until it is killed. */
export interface Read {
  readonly do: 'read';
  readonly at: StoreLocation;
  readonly reader: string;
  readonly from: string;
  /** The process is killed after this many printed lines. */
  readonly lines: number;
}

/** The entries of one poll: each position with a description of its entry. */
export interface PollResult {
  readonly reader: string;
  readonly head: string;
  readonly entries: readonly (readonly [position: string, what: string])[];
}

/** Small, so that a kill hits a reader between two pages of the ledger. */
const LIMIT = 5;

export async function read({ at, reader, from }: Read): Promise<void> {
  const store = await openStore(at);
  await poll({ store, settings: DEFAULT_SETTINGS }, reader, from, () => false);
}

export async function poll(host: Host, reader: string, from: string, over: () => boolean): Promise<void> {
  for (let position = from; ; ) {
    const ending = over();
    const { entries, head } = await readFrom(host, SHARED, position, LIMIT);
    const last = entries.at(-1);
    if (last === undefined) {
      if (ending) return;
      await pause(1);
      continue;
    }
    position = last.position;
    printLine({
      reader,
      head,
      entries: entries.map((entry) => [entry.position, describeEntry(entry)]),
    } satisfies PollResult);
  }
}

export function describeEntry({ kind, row }: LedgerEntry): string {
  if (kind === 'evidence') return `${readable(row).kind} ${readable(row).id}`;
  return kind === 'transition'
    ? `${readable(row).service} to ${readable(row).to}`
    : `alarm ${readable(row).code}`;
}

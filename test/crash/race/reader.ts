import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from '../../../src/evidence/door/host.ts';
import { type Entry, readFrom } from '../../../src/evidence/read.ts';
import { DEFAULT_SETTINGS } from '../../../src/projection/facts.ts';
import { readable } from '../../../src/store/broken-row.ts';
import { openAt, type Place } from '../place.ts';
import { say } from '../say.ts';
import { SHARED } from './writer.ts';

/** A process that polls the shared org from a position for as long as it lives. */
export interface Read {
  readonly do: 'read';
  readonly at: Place;
  readonly reader: string;
  readonly from: string;
  /** It dies with so many lines said. */
  readonly lines: number;
}

/** What one poll brought: each position with what stands there. */
export interface Seen {
  readonly reader: string;
  readonly head: string;
  readonly entries: readonly (readonly [position: string, what: string])[];
}

/** Small, so that a reader is always in the middle of something. */
const LIMIT = 5;

export async function read({ at, reader, from }: Read): Promise<void> {
  const store = await openAt(at);
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
    say({
      reader,
      head,
      entries: entries.map((entry) => [entry.position, whatStands(entry)]),
    } satisfies Seen);
  }
}

export function whatStands({ is, row }: Entry): string {
  if (is === 'evidence') return `${readable(row).kind} ${readable(row).id}`;
  return is === 'transition'
    ? `${readable(row).service} to ${readable(row).to}`
    : `alarm ${readable(row).code}`;
}

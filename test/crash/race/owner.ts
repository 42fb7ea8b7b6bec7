import { sharingHost } from '../../../src/evidence/door/host.ts';
import { DEFAULT_SETTINGS } from '../../../src/projection/facts.ts';
import { SqliteStore } from '../../../src/store/sqlite/store.ts';
import { printLine } from '../print-line.ts';
import { poll } from './reader.ts';
import { writeNumber } from './writer.ts';

/** The one process that owns a data directory; its callers and readers run inside it. */
export interface Own {
  readonly do: 'own';
  readonly dir: string;
  /** The process is killed after this many printed lines. */
  readonly lines: number;
  readonly writers: readonly { readonly writer: string; readonly from: number }[];
  readonly to: number;
  readonly readers: readonly { readonly reader: string; readonly from: string }[];
}

export async function own({ dir, writers, to, readers }: Own): Promise<void> {
  const host = sharingHost(await SqliteStore.open(dir), DEFAULT_SETTINGS);
  let writing = writers.length;
  const callers = writers.map(async ({ writer, from }) => {
    for (let n = from; n <= to; n++) printLine(await writeNumber(host, writer, n));
    writing -= 1;
  });
  const polls = readers.map(({ reader, from }) => poll(host, reader, from, () => writing === 0));
  await Promise.all([...callers, ...polls]);
}

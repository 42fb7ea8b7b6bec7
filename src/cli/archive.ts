import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { DEFAULT_SETTINGS } from '../projection/facts.ts';
import { type Archived, archive, type Moved } from '../repair/archive.ts';
import { openExisting, plainly } from './plainly.ts';
import { ProgressLine } from './progress-line.ts';
import type { StoreOptions } from './store-options.ts';

export interface ArchiveOptions extends StoreOptions {
  readonly before?: number;
  readonly keepRevisions: number;
  readonly output?: string;
  readonly exportOnly?: boolean;
}

const KEPT_DAYS = 90;

/** `evident archive`: what moves out, one JSON object a line, and then out of the store. */
export function runArchive(options: ArchiveOptions): Promise<void> {
  return plainly(() => archiveAll(options));
}

async function archiveAll(options: ArchiveOptions): Promise<void> {
  const { before = daysAgo(KEPT_DAYS), keepRevisions } = options;
  const store = await openExisting(options);
  const out =
    options.output === undefined ? process.stdout : createWriteStream(options.output, { flags: 'a' });
  const progress = new ProgressLine();
  let rows = 0;
  const moved = async (page: readonly Moved[]) => {
    rows += page.length;
    // Handed over before it is taken away: what the other end has not taken stays where it is.
    if (!out.write(page.map((row) => `${JSON.stringify(row)}\n`).join(''))) await once(out, 'drain');
    progress.show('moving out', rows);
  };
  try {
    const host = { store, settings: DEFAULT_SETTINGS };
    const remove = options.exportOnly !== true;
    const total: Record<string, number> = {};
    for (const { org } of await store.read((tx) => tx.select('heads', {}, { order: 'org' }))) {
      const counts = await archive(host, org, { policy: { before, keepRevisions }, remove, moved });
      for (const [table, count] of Object.entries(counts)) total[table] = (total[table] ?? 0) + count;
    }
    progress.clear();
    process.stderr.write(`${sentenceOf(total, remove)}\n`);
  } finally {
    if (out !== process.stdout) {
      out.end();
      await finished(out);
    }
    await store.close();
  }
}

const daysAgo = (days: number) => Date.now() - days * 24 * 3_600_000;

function sentenceOf(total: Archived, remove: boolean): string {
  const parts = Object.entries(total).map(([table, count]) => `${count} ${table}`);
  if (parts.length === 0) return 'Nothing is old enough to move out.';
  return `${remove ? 'Moved out' : 'Would move out'}: ${parts.join(', ')}.`;
}

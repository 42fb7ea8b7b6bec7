import { fstatSync } from 'node:fs';
import { lastSettings } from '../evidence/settings-then.ts';
import { type Archived, archive, type Moved } from '../repair/archive.ts';
import { type MovedRows, movedInto, movedToStandardOutput } from '../repair/moved-rows.ts';
import { openExisting, plainly } from './plainly.ts';
import { ProgressLine } from './progress-line.ts';
import type { StoreOptions } from './store-options.ts';
import { Misused } from './tell-problem.ts';

export interface ArchiveOptions extends StoreOptions {
  readonly before?: number;
  readonly keepRevisions: number;
  readonly output?: string;
  readonly exportOnly?: boolean;
}

const KEPT_MS = 90 * 24 * 3_600_000;

/** `evident archive`: what moves out, one JSON object a line, and then out of the store. */
export function runArchive(options: ArchiveOptions): Promise<void> {
  return plainly(async () => {
    const out = await outputOf(options);
    try {
      await archiveAll(options, out);
    } finally {
      await out.close();
    }
  });
}

/** A pipe takes bytes that nobody may ever read, and a terminal scrolls: rows are taken away only for a file. */
async function outputOf({ output, exportOnly }: ArchiveOptions): Promise<MovedRows> {
  if (output !== undefined) return movedInto(output);
  if (exportOnly !== true && !fstatSync(process.stdout.fd).isFile())
    throw new Misused(
      'Standard output is no file, so nobody can tell whether what is written there is kept. Nothing was taken away. Name a file with -o, or only look with --export-only.',
    );
  return movedToStandardOutput();
}

async function archiveAll(options: ArchiveOptions, out: MovedRows): Promise<void> {
  const store = await openExisting(options);
  const progress = new ProgressLine();
  let rows = 0;
  const moved = async (page: readonly Moved[]) => {
    rows += page.length;
    await out.write(page);
    progress.show('moving out', rows);
  };
  const remove = options.exportOnly !== true;
  const total: Record<string, number> = {};
  try {
    const host = { store, settings: await lastSettings(store) };
    const { before = (await store.read((tx) => tx.now())) - KEPT_MS, keepRevisions } = options;
    for (const { org } of await store.read((tx) => tx.select('heads', {}, { order: 'org' }))) {
      const counts = await archive(host, org, { policy: { before, keepRevisions }, remove, moved });
      for (const [table, count] of Object.entries(counts)) total[table] = (total[table] ?? 0) + count;
    }
  } finally {
    progress.clear();
    await store.close();
  }
  process.stderr.write(`${sentenceOf(total, remove)}\n`);
}

function sentenceOf(total: Archived, remove: boolean): string {
  const parts = Object.entries(total).map(([table, count]) => `${count} ${table}`);
  if (parts.length === 0) return 'Nothing is old enough to move out.';
  return `${remove ? 'Moved out' : 'Would move out'}: ${parts.join(', ')}.`;
}

import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { lastSettings } from '../evidence/past/settings-then.ts';
import { type Archived, archive } from '../repair/archive.ts';
import type { MovedRow } from '../repair/moved-row.ts';
import { type MovedRows, movedInto, movedToStandardOutput, STANDARD_OUTPUT } from '../repair/moved-rows.ts';
import { readable } from '../store/broken-row.ts';
import { UsageError } from './print-problem.ts';
import { openExisting, printRefusals } from './print-refusals.ts';
import { ProgressLine } from './progress-line.ts';
import { dataDirectory, type StoreOptions } from './store-options.ts';

export interface ArchiveFlags extends StoreOptions {
  readonly before?: number;
  readonly keepRevisions: number;
  readonly output?: string;
  readonly exportOnly?: boolean;
}

const KEPT_MS = 90 * 24 * 3_600_000;

/** `evident archive`: writes old rows out, one JSON object per line, then deletes them from the store. */
export function runArchive(options: ArchiveFlags): Promise<void> {
  return printRefusals(async () => {
    const out = await outputOf(options);
    try {
      await archiveAll(options, out);
    } finally {
      await out.close();
    }
  });
}

async function outputOf(options: ArchiveFlags): Promise<MovedRows> {
  const { output, exportOnly: preview = false } = options;
  await refuseDataDirectory(output ?? STANDARD_OUTPUT, dataDirectory(options));
  return output === undefined ? movedToStandardOutput({ preview }) : movedInto(output, { preview });
}

/**
 * Refuses an output inside the data directory, except the server's own archive folder: the data directory
 * holds the store and its companion files, and anything else written there would be read as one of them.
 */
async function refuseDataDirectory(output: string, data: string): Promise<void> {
  const [place, dir] = await Promise.all([realPathOf(output), realPathOf(data)]);
  if (!isInside(place, dir) || isInside(place, join(dir, 'archive'))) return;
  throw new UsageError(
    `${output} is in the data directory, where Evident keeps what is its own. Nothing was taken away. Name a file elsewhere with -o, or in ${join(data, 'archive')}.`,
  );
}

const isInside = (path: string, dir: string) => path.startsWith(`${dir}${sep}`);

/** Resolves a path to its real location, also if nothing exists there yet. */
async function realPathOf(path: string): Promise<string> {
  const full = resolve(path);
  try {
    return await realpath(full);
  } catch (error) {
    if (dirname(full) === full) return full;
    const parent = await realPathOf(dirname(full));
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const link = isMissing ? await readlink(full).catch(() => null) : null;
    return link === null ? join(parent, basename(full)) : realPathOf(resolve(parent, link));
  }
}

async function archiveAll(options: ArchiveFlags, out: MovedRows): Promise<void> {
  const store = await openExisting(options);
  const progress = new ProgressLine();
  let rows = 0;
  const moved = async (page: readonly MovedRow[]) => {
    rows += page.length;
    await out.write(page);
    progress.show('moving out', rows);
  };
  const remove = options.exportOnly !== true;
  const total: Record<string, number> = {};
  try {
    const host = { store, settings: await lastSettings(store) };
    const wall = Date.now();
    const now = Math.min(await store.read((tx) => tx.now()), wall);
    const { before = now - KEPT_MS, keepRevisions } = options;
    const heads = await store.read((tx) => tx.select('heads', {}, { order: 'org' }));
    for (const org of heads.flatMap((head) => readable(head).org ?? [])) {
      const counts = await archive(host, org, { policy: { before, keepRevisions }, wall, remove, moved });
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

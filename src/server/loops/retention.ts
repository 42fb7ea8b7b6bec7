import type { FastifyBaseLogger } from 'fastify';
import type { ArtifactStore } from '../../artifact/store.ts';
import type { Host } from '../../evidence/door/host.ts';
import type { LogStore } from '../../logs/log-store.ts';
import { archive } from '../../repair/archive.ts';
import { pick } from '../../store/broken-row.ts';
import { gt, type ReadTx } from '../../store/port.ts';
import { forgetOldDeliveries } from '../../webhooks/administer.ts';
import type { ArchiveFiles } from '../archive-files.ts';
import { forgetOldLinks } from '../auth/links.ts';
import type { Config } from '../config.ts';
import { collectArtifacts, moveLogs } from './collect.ts';

const DAY_MS = 24 * 3_600_000;

export interface RetentionContext {
  readonly host: Host;
  readonly config: Pick<Config, 'keepDays' | 'keepRevisions'>;
  readonly archiveFiles: ArchiveFiles;
  readonly artifacts: ArtifactStore;
  readonly logs: LogStore;
  readonly log: FastifyBaseLogger;
}

/** Makes room. Unnamed bytes are removed first, so that there is room for the rows that move out. */
export async function retain(context: RetentionContext, orgs: readonly string[]): Promise<void> {
  const { host, artifacts } = context;
  // Uses this machine's clock, because the file system stamped the files.
  await collectArtifacts(host, artifacts, Date.now());
  await forgetOldLinks(host.store);
  for (const org of orgs) await moveOut(context, org);
  await forgetOldDeliveries(host.store);
}

async function moveOut(context: RetentionContext, org: string): Promise<void> {
  const { host, config, archiveFiles, logs, log } = context;
  const { keepDays, keepRevisions } = config;
  const { now, doubtMs } = await host.store.read((tx) => storeTime(tx, org));
  if (doubtMs > 0)
    log.warn(
      { org, doubtMs },
      'more than a day passed that no server saw: for a day nothing is older by it, as the clock may be wrong',
    );
  // The store's clock stamped the rows, and may have been set forward: a row is old only by both clocks
  // (F35).
  const wall = Math.min(now - doubtMs, Date.now());
  const policy = { before: wall - keepDays * DAY_MS, keepRevisions };
  const out = archiveFiles.rowsOf(org, now);
  let rows = 0;
  try {
    await archive(host, org, {
      policy,
      wall,
      remove: true,
      moved: async (page) => {
        await out.write(page);
        rows += page.length;
      },
    });
    const attempts = await moveLogs(host, logs, archiveFiles, org);
    if (attempts > 0) log.info({ org, attempts }, 'logs of attempts that moved out are in the archive');
  } finally {
    await out.close();
    if (rows > 0) log.info({ org, rows, file: out.path }, 'what is old moves out of the store into a file');
  }
}

/**
 * Reads the store's time, and how much of it may come from a clock that was set forward. After a gap of more
 * than a day in which no server was up, operators have a day to correct the clock before anything counts as
 * old by it (F35). Rejected: moving nothing out for that day; a server that is up for some hours a week would
 * never move anything out.
 */
async function storeTime(tx: ReadTx, org: string): Promise<{ now: number; doubtMs: number }> {
  const now = await tx.now();
  const blinds = await tx.select('blinds', { org, to: gt(now - DAY_MS) });
  const lengths = blinds
    .flatMap((row) => pick(row, 'from', 'to') ?? [])
    .map(({ from, to }) => to - from)
    .filter((ms) => ms >= DAY_MS);
  return { now, doubtMs: lengths.reduce((sum, ms) => sum + ms, 0) };
}

import { collectGarbage } from '../../artifact/collect.ts';
import type { ArtifactStore } from '../../artifact/store.ts';
import type { Host } from '../../evidence/door/host.ts';
import type { LogStore } from '../../logs/log-store.ts';
import { pick, readable } from '../../store/broken-row.ts';
import { gt, oneOf } from '../../store/port.ts';
import type { ArchiveFiles } from '../archive-files.ts';

/**
 * Bytes younger than this are never collected: the request that stores them may not have written their row
 * yet.
 */
const YOUNG_MS = 3_600_000;
const PAGE = 100;

/**
 * Removes bytes that no org's row names: of uploads that were refused, or cut off by a crash. Storing bytes
 * again makes them young again, so that a row that is about to be written never loses its bytes.
 */
export async function collectArtifacts(host: Host, artifacts: ArtifactStore, now: number): Promise<number> {
  const orgs = new Set(
    (await host.store.read((tx) => tx.select('tokens', {}))).map((row) => readable(row).org),
  );
  const { removed } = await collectGarbage(artifacts, now - YOUNG_MS, (digests) =>
    host.store.read(async (tx) => {
      const named = new Set<string>();
      for (const org of orgs) {
        if (org === undefined) continue;
        for (const row of await tx.select('artifacts', { org, digest: oneOf(...digests) })) {
          const { digest } = readable(row);
          if (digest !== undefined) named.add(digest);
        }
      }
      return named;
    }),
  );
  return removed;
}

/** Moves the logs of attempts that retention moved out into the archive, beside their rows. */
export async function moveLogs(
  host: Host,
  logs: LogStore,
  archiveFiles: ArchiveFiles,
  org: string,
): Promise<number> {
  let moved = 0;
  const hasLogs = await logs.whoHasLogs(org);
  for (let after = ''; ; ) {
    const rows = await host.store.read((tx) =>
      tx.select('services', { org, service: gt(after) }, { order: 'service', limit: PAGE }),
    );
    for (const { service } of rows.flatMap((row) => pick(row, 'service') ?? [])) {
      if (!hasLogs(service)) continue;
      for (const attempt of await logs.attempts(org, service)) {
        const row = await host.store.read((tx) => tx.get('attempts', { org, service, ...attempt }));
        if (row !== undefined) continue;
        await logs.handOver(org, service, attempt, (dir) => archiveFiles.takeLogs(org, service, dir));
        moved += 1;
      }
    }
    const { service: last } = readable(rows.at(-1));
    if (last === undefined || rows.length < PAGE) return moved;
    after = last;
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Host } from '../evidence/door/host.ts';
import { beat } from '../repair/beat.ts';
import { isIntact } from '../store/broken-row.ts';
import { gt } from '../store/port.ts';
import { ConfigRefused } from './config.ts';
import { type FilesMark, isSameDirectory, markText, readMark } from './files-mark.ts';

/** A living server beats every second; one without a beat for this long is not waited for. */
const RECENT_MS = 3_600_000;
const LISTENED_MS = 4_000;
const LOOK_MS = 250;

interface OtherServer {
  readonly server: string;
  readonly at: number;
  readonly path: string;
}

/**
 * Refuses to start beside a living server that keeps its files in another directory: logs and artifacts that one takes
 * in would be missing at the other. Expects that this server has beaten with its mark. Goes on beating while it listens,
 * so that of two servers that start together neither takes the other for dead.
 */
export async function refuseSeparateFiles(host: Host, server: string, mark: FilesMark): Promise<void> {
  const before = new Map((await othersApart(host, server, mark)).map((other) => [other.server, other.at]));
  for (let ms = 0; ms < LISTENED_MS && before.size > 0; ms += LOOK_MS) {
    await wait(LOOK_MS);
    await beat(host, server, markText(mark));
    const living = (await othersApart(host, server, mark)).find(
      (other) => other.at > (before.get(other.server) ?? Number.POSITIVE_INFINITY),
    );
    if (living === undefined) continue;
    await host.store.transact((tx) => tx.remove('beats', { server }, {}));
    throw new ConfigRefused(
      `Another server on this database, ${living.server}, keeps its files in ${living.path}, and this one in ${mark.path}: logs and artifacts that one takes in would be missing at the other. Give all servers of a database one common directory with --files, or stop the other before this one starts.`,
    );
  }
}

/** Servers that have beaten lately and whose directory of files is another one. */
function othersApart(host: Host, server: string, mark: FilesMark): Promise<readonly OtherServer[]> {
  return host.store.read(async (tx) => {
    const beats = await tx.select('beats', { at: gt((await tx.now()) - RECENT_MS) }, { order: 'server' });
    return beats.filter(isIntact).flatMap((row) => {
      if (row.server === server || row.files === null) return [];
      const other = readMark(row.files);
      return isSameDirectory(other, mark) ? [] : [{ server: row.server, at: row.at, path: other.path }];
    });
  });
}

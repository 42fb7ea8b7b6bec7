import { setTimeout as wait } from 'node:timers/promises';
import type { Host } from '../evidence/door/host.ts';
import { lastBeat } from '../evidence/door/liveness.ts';
import { settingsAt } from '../evidence/past/settings-then.ts';
import { ConfigRefused, flagOf } from './config.ts';

/** The settings that claims are judged by. */
const JUDGED_BY = ['freshForMs', 'leaseTtlMs'] as const;
/**
 * A living server beats every second, and later only where the store is slow; this waits for several beats.
 */
const LISTENED_MS = 4_000;
const LOOK_MS = 250;

/**
 * Refuses to start beside a living server with other times. Claims are a function of the ledger (S13): two servers that
 * count time differently would show `running` and `unknown` for the same service. A server that is alone starts with any
 * times, as after the others were stopped or killed.
 */
export async function refuseMismatchedTiming(host: Host): Promise<void> {
  const { store } = host;
  if ((await otherTimes(host)) === null) return;
  const before = await store.read(lastBeat);
  for (let ms = 0; ms < LISTENED_MS; ms += LOOK_MS) {
    await wait(LOOK_MS);
    if ((await store.read(lastBeat)) === before) continue;
    // The server that beats may have started meanwhile, with the same times.
    const other = await otherTimes(host);
    if (other === null) return;
    throw new ConfigRefused(
      `Another server on this database is running with other times: ${other}. Give all of them the same, or stop the others before this one starts.`,
    );
  }
}

/** The settings in which the newest server differs, as a sentence; null if none. */
async function otherTimes({ store, settings }: Host): Promise<string | null> {
  const newest = await store.read((tx) => settingsAt(tx, Number.MAX_SAFE_INTEGER, settings));
  const other = JUDGED_BY.filter((name) => newest[name] !== settings[name]);
  const flags = other.map(
    (name) => `${flagOf(name)} is ${settings[name]} ms here and ${newest[name]} ms there`,
  );
  return other.length === 0 ? null : flags.join('; ');
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Host } from '../evidence/door/host.ts';
import { lastBeat } from '../evidence/door/liveness.ts';
import { settingsAt } from '../evidence/past/settings-then.ts';
import { ConfigRefused, flagOf } from './config.ts';

/** What claims are judged by. */
const JUDGED_BY = ['freshForMs', 'leaseTtlMs'] as const;
/** Who lives beats every second, and later only where it has to wait. */
const LISTENED_MS = 4_000;
const LOOK_MS = 250;

/**
 * Claims are a function of the ledger (S13): servers of one database that count time differently would tell two truths
 * of it, one `running` and the other `unknown`. Whoever comes second with other times does not start; who is alone, as
 * after the others were stopped or killed, does.
 */
export async function refuseMismatchedTiming(host: Host): Promise<void> {
  const { store } = host;
  if ((await otherTimes(host)) === null) return;
  const before = await store.read(lastBeat);
  for (let ms = 0; ms < LISTENED_MS; ms += LOOK_MS) {
    await wait(LOOK_MS);
    if ((await store.read(lastBeat)) === before) continue;
    // Whoever beats may have come meanwhile, with these.
    const other = await otherTimes(host);
    if (other === null) return;
    throw new ConfigRefused(
      `Another server on this database is running with other times: ${other}. Give all of them the same, or stop the others before this one starts.`,
    );
  }
}

/** What the newest server counts differently; null if nothing. */
async function otherTimes({ store, settings }: Host): Promise<string | null> {
  const there = await store.read((tx) => settingsAt(tx, Number.MAX_SAFE_INTEGER, settings));
  const other = JUDGED_BY.filter((name) => there[name] !== settings[name]);
  const flags = other.map(
    (name) => `${flagOf(name)} is ${settings[name]} ms here and ${there[name]} ms there`,
  );
  return other.length === 0 ? null : flags.join('; ');
}

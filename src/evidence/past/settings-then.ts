import { DEFAULT_SETTINGS, type Settings } from '../../projection/facts.ts';
import { intact, readable, type Stored } from '../../store/broken-row.ts';
import { canonicalJson } from '../../store/canonical.ts';
import { lte, type ReadTx, type Store } from '../../store/port.ts';

const NEWEST = { order: 'from', descending: true, limit: 1 } as const;

/**
 * Records the settings of a server if they changed: past claims are judged by the settings of their time.
 * Instants before the first record use the first one.
 */
export async function recordSettings({
  store,
  settings,
}: {
  store: Store;
  settings: Settings;
}): Promise<void> {
  await store.transact(async (tx) => {
    const [last] = await tx.select('settings', {}, NEWEST);
    if (last !== undefined && canonicalJson(readable(last).settings) === canonicalJson(settings)) return;
    const from = last === undefined ? 0 : Math.max(await tx.now(), readable(last).from ?? 0);
    if (!(await tx.insert('settings', { from, settings })))
      await tx.update('settings', { from }, {}, { settings });
  });
}

/** The settings in force at an instant; `otherwise` if none are recorded. */
export async function settingsAt(tx: ReadTx, at: number, otherwise: Settings): Promise<Settings> {
  const [then] = await tx.select('settings', { from: lte(at) }, NEWEST);
  return readSettings(then, otherwise);
}

/** The same for many instants, read once: there are few. */
export async function settingsThrough(tx: ReadTx, otherwise: Settings): Promise<(at: number) => Settings> {
  const rows = await tx.select('settings', {}, { order: 'from' });
  return (at) =>
    readSettings(
      rows.findLast((row) => (readable(row).from ?? Number.POSITIVE_INFINITY) <= at),
      otherwise,
    );
}

/** The settings of the last server, for a command that works on its store. */
export const lastSettings = (store: Store): Promise<Settings> =>
  store.read((tx) => settingsAt(tx, Number.MAX_SAFE_INTEGER, DEFAULT_SETTINGS));

/** A row that cannot be read, or holds no settings, falls back to `otherwise` (F56). */
function readSettings(row: Stored<'settings'> | undefined, otherwise: Settings): Settings {
  const settings = intact(row)?.settings;
  return isSettings(settings) ? { ...otherwise, ...settings } : otherwise;
}

/** True of an object of lengths and counts alone. Settings of an earlier version may lack some. */
function isSettings(value: unknown): value is Settings {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((n) => Number.isInteger(n) && n >= 0);
}

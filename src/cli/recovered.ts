import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addDigits } from '../contract/digits.ts';
import { lastSettings } from '../evidence/past/settings-then.ts';
import { Incarnation } from '../repair/incarnation.ts';
import type { RecoveredOrg } from '../repair/recover.ts';
import { type Format, printed } from './output.ts';
import { NoStoreFound } from './print-problem.ts';
import { openExisting, printRefusals } from './print-refusals.ts';
import { databaseUrl, dataDirectory, isDirectoryNamed, type StoreOptions } from './store-options.ts';

export interface RecoveredOptions extends StoreOptions {
  readonly reason: string;
  readonly output: Format;
}

/** `evident recovered`: declares a restore that cannot be detected, and returns the text to print. */
export async function declareRecovered(options: RecoveredOptions): Promise<string> {
  // The default data directory may hold the witness of another store, which would then count as restored.
  if (databaseUrl(options) !== undefined && !isDirectoryNamed(options))
    throw new NoStoreFound(
      'Say with --data which data directory the server on this database has: its witness.json goes on from here.',
    );
  const dir = dataDirectory(options);
  if (databaseUrl(options) !== undefined) refuseUnusedDirectory(dir);
  const store = await openExisting(options);
  try {
    const host = { store, settings: await lastSettings(store) };
    const declared = { reason: options.reason, actor: 'operator' };
    const { opened, id } = await Incarnation.open(host, dir, { declared });
    const orgs = opened?.orgs ?? [];
    return await printed(options.output, { incarnation: id, orgs }, () =>
      [...orgs.map(sentence), `Incarnation ${id} began.`].join('\n'),
    );
  } finally {
    await store.close();
  }
}

/** Files that every server has in its data directory from its first start on, whatever its database. */
const SERVERS_FILES = ['witness.json', 'admin-token'];

/**
 * Refuses a directory that no server uses: its witness would be renewed instead of the server's own, and the
 * server would recover once more.
 */
function refuseUnusedDirectory(dir: string): void {
  if (SERVERS_FILES.some((name) => existsSync(join(dir, name)))) return;
  throw new NoStoreFound(
    `${dir} is no data directory of a server: neither ${SERVERS_FILES.join(' nor ')} is there. Nothing was changed. Correct --data; if that directory was lost, start a server with a new one and stop it first.`,
  );
}

function sentence({ org, services, leases, void: { from, to } }: RecoveredOrg): string {
  const count = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;
  return `${org}: ${count(services, 'service')} unknown until seen again, ${count(leases, 'lease')} void, positions ${addDigits(from, 1)} to ${to} skipped`;
}

export function runRecovered(options: RecoveredOptions): Promise<void> {
  return printRefusals(async () => console.log(await declareRecovered(options)), options.output);
}

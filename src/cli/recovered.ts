import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addDigits } from '../contract/digits.ts';
import { DEFAULT_SETTINGS } from '../projection/facts.ts';
import { Incarnation } from '../repair/incarnation.ts';
import type { RecoveredOrg } from '../repair/recover.ts';
import { databaseUrl, dataDirectory, openStore, type StoreOptions } from './store-options.ts';

export interface RecoveredOptions extends StoreOptions {
  readonly reason: string;
  readonly output: 'table' | 'json';
}

/** `evident recovered`: declares a restore that nothing can detect, and answers what to print. */
export async function declareRecovered(options: RecoveredOptions): Promise<string> {
  const dir = dataDirectory(options);
  if (databaseUrl(options) === undefined && !existsSync(join(dir, 'evident.db')))
    throw new NothingHere(
      `There is no database in ${dir}. Put the restored one there, or say with --data where it is.`,
    );
  const store = await openStore(options);
  try {
    const host = { store, settings: DEFAULT_SETTINGS };
    const declared = { reason: options.reason, actor: 'operator' };
    const { opened, id } = await Incarnation.open(host, dir, { declared });
    const orgs = opened?.orgs ?? [];
    if (options.output === 'json') return JSON.stringify({ incarnation: id, orgs });
    return [...orgs.map(sentence), `Incarnation ${id} began.`].join('\n');
  } finally {
    await store.close();
  }
}

function sentence({ org, services, leases, void: { from, to } }: RecoveredOrg): string {
  const count = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;
  return `${org}: ${count(services, 'service')} unknown until seen again, ${count(leases, 'lease')} void, positions ${addDigits(from, 1)} to ${to} skipped`;
}

export class NothingHere extends Error {
  override readonly name = 'NothingHere';
}

const REFUSALS = ['NothingHere', 'DirectoryRefused', 'SchemaRefused', 'WitnessRefused', 'Unavailable'];

/** What a person can do something about is a sentence; anything else is a defect of ours, with its stack. */
export async function runRecovered(options: RecoveredOptions): Promise<void> {
  try {
    console.log(await declareRecovered(options));
  } catch (error) {
    if (!(error instanceof Error) || !REFUSALS.includes(error.name)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

import { addDigits, type Digits } from '../src/contract/digits.ts';
import { intact, readable } from '../src/store/broken-row.ts';
import type { Store, Tx } from '../src/store/port.ts';
import type { Rows } from '../src/store/schema.ts';

/** The tables of a service that are copied; leases and liveness are not. */
const TABLES = ['services', 'revisions', 'attempts', 'commands', 'ledger', 'transitions'] as const;
const STEP = 1_000;

/**
 * Copies of a service that verbs have brought to where it is, under other names and later positions: the rows that
 * the verbs would have written, without the hours that they would take. The head ends behind the last of them.
 */
export async function cloneService(
  store: Store,
  org: string,
  service: string,
  names: readonly string[],
): Promise<void> {
  for (let from = 0; from < names.length; from += STEP)
    await store.transact((tx) => cloneSome(tx, org, service, names.slice(from, from + STEP)));
}

async function cloneSome(tx: Tx, org: string, service: string, names: readonly string[]): Promise<void> {
  const head = intact(await tx.lock('heads', { org }));
  const ledger = await tx.select('ledger', { org, service }, { order: 'position' });
  const [first] = ledger;
  if (head === undefined || first === undefined) throw new Error(`${service} has left nothing to copy`);
  const originals = [];
  for (const table of TABLES) originals.push({ table, rows: await tx.select(table, { org, service }) });
  const transitions = await tx.select('transitions', { org, service });
  const positions = [...ledger, ...transitions].map((row) => Number(readable(row).position));
  const span = Math.max(...positions) - Number(readable(first).position) + 1;
  let shift = Number(head.position) + 1 - Number(readable(first).position);
  for (const name of names) {
    const rename = renamer(service, name, shift);
    for (const { table, rows } of originals)
      for (const row of rows) await tx.append(table, rename(row) as Rows[typeof table]);
    shift += span;
  }
  await tx.update('heads', { org }, {}, { position: addDigits(head.position, span * names.length) });
}

/** Positions move on, ids that were made of a position with them, and every name of the service becomes the other. */
function renamer(service: string, name: string, shift: number) {
  return function rename(value: unknown): unknown {
    if (typeof value === 'string') {
      if (/^e\d+$/.test(value)) return `e${addDigits(value.slice(1), shift)}`;
      return value.replaceAll(service, name);
    }
    if (Array.isArray(value)) return value.map(rename);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, v]) =>
        key === 'position' && typeof v === 'string' ? [key, addDigits(v as Digits, shift)] : [key, rename(v)],
      ),
    );
  };
}

import { lastSettings } from '../evidence/past/settings-then.ts';
import type { RowDifference } from '../repair/difference.ts';
import { type Rebuild, type RebuildProgress, rebuild } from '../repair/rebuild.ts';
import { canonicalJson } from '../store/canonical.ts';
import { openExisting, printRefusals } from './print-refusals.ts';
import { ProgressLine } from './progress-line.ts';
import type { StoreOptions } from './store-options.ts';

export interface RebuildFlags extends StoreOptions {
  readonly check?: boolean;
  readonly output: 'table' | 'json';
}

/**
 * `evident rebuild`: computes facts and transitions again from the ledger, compares them byte for byte and,
 * without `--check`, replaces them.
 */
export function runRebuild(options: RebuildFlags): Promise<void> {
  return printRefusals(() => rebuildAll(options), options.output);
}

async function rebuildAll(options: RebuildFlags): Promise<void> {
  const store = await openExisting(options);
  const progress = new ProgressLine();
  const replace = options.check !== true;
  try {
    const host = { store, settings: await lastSettings(store) };
    const result = await rebuild(host, {
      replace,
      onProgress: (come) => progress.show(whereOf(come), come.rows),
      onDifference: (found) => {
        progress.clear();
        console.log(options.output === 'json' ? JSON.stringify(found) : differenceLine(found));
      },
    });
    progress.clear();
    console.log(options.output === 'json' ? JSON.stringify(result) : sentenceOf(result, replace));
    process.exitCode = (replace ? result.left : result.differences) === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

const count = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;

function whereOf({ org, at, services }: RebuildProgress): string {
  return at === 'holes' ? `looking for holes in ${org}` : count(services, 'service');
}

const AROUND = 40;

/** The first difference with a little context: facts are long. */
export function differenceLine({
  table,
  org,
  service,
  row,
  column,
  stored,
  rebuilt,
  damage,
}: RowDifference): string {
  const name = service === null || service === row ? row : `${service} ${row}`;
  const place = `${org} ${table} ${name}, ${column}`;
  const anew = table === 'heads' && damage === 'missing' ? ' (`evident recovered` makes it anew)' : '';
  if (damage !== null) return `${place}: damaged, ${damage}${anew}`;
  const [have, want] = [canonicalJson(stored), canonicalJson(rebuilt)];
  let at = 0;
  while (at < have.length && have[at] === want[at]) at++;
  const near = (text: string) => {
    const from = Math.max(0, at - AROUND);
    return `${from > 0 ? '…' : ''}${text.slice(from, at + AROUND)}${text.length > at + AROUND ? '…' : ''}`;
  };
  return `${place}: stored ${near(have)} but rebuilt ${near(want)}`;
}

export function sentenceOf(result: Rebuild, replace: boolean): string {
  const { services, rows, differences, damage, replaced, left } = result;
  const read = `${count(services, 'service')} from ${count(rows, 'row')} of the ledger`;
  if (differences === 0)
    return `${read}: the facts, attempts and transitions of each are what the ledger gives.`;
  const found = `${read}: ${count(differences, 'difference')}`;
  const lost = damage === 0 ? '' : ` ${LOST}`;
  const rest = differences === damage ? '' : ' `evident rebuild` replaces what can be replaced.';
  if (!replace) return `${found}.${rest}${lost}`;
  const still = left === 0 ? '' : ` ${left} ${left === 1 ? 'is' : 'are'} left.${lost}`;
  return `${found}, ${count(replaced, 'service')} replaced.${still}`;
}

const LOST =
  'Rows that everything is rebuilt from are damaged: what depends on them stays as it is. They come back only from a backup; put them back, then run this again.';

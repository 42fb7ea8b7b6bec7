import { DEFAULT_SETTINGS } from '../projection/facts.ts';
import type { Difference } from '../repair/compare-service.ts';
import { type Rebuild, rebuild } from '../repair/rebuild.ts';
import { canonicalJson } from '../store/canonical.ts';
import { openExisting, plainly } from './plainly.ts';
import { ProgressLine } from './progress-line.ts';
import type { StoreOptions } from './store-options.ts';

export interface RebuildOptions extends StoreOptions {
  readonly check?: boolean;
  readonly output: 'table' | 'json';
}

/** `evident rebuild`: facts and transitions again from the ledger, compared byte for byte and, without `--check`, replaced. */
export function runRebuild(options: RebuildOptions): Promise<void> {
  return plainly(() => rebuildAll(options));
}

async function rebuildAll(options: RebuildOptions): Promise<void> {
  const store = await openExisting(options);
  const progress = new ProgressLine();
  const replace = options.check !== true;
  try {
    const host = { store, settings: DEFAULT_SETTINGS };
    const result = await rebuild(host, {
      replace,
      onProgress: ({ services, rows }) => progress.show(`${services} services`, rows),
      onDifference: (found) => {
        progress.clear();
        console.log(options.output === 'json' ? JSON.stringify(found) : lineOf(found));
      },
    });
    progress.clear();
    console.log(options.output === 'json' ? JSON.stringify(result) : sentenceOf(result, replace));
    process.exitCode = (replace ? result.left : result.differences) === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

const AROUND = 40;

/** Where they differ first, with a little around it: facts are long. */
function lineOf({ table, org, service, row, column, stored, rebuilt }: Difference): string {
  const [have, want] = [canonicalJson(stored), canonicalJson(rebuilt)];
  let at = 0;
  while (at < have.length && have[at] === want[at]) at++;
  const near = (text: string) => {
    const from = Math.max(0, at - AROUND);
    return `${from > 0 ? '…' : ''}${text.slice(from, at + AROUND)}${text.length > at + AROUND ? '…' : ''}`;
  };
  const name = service === null || service === row ? row : `${service} ${row}`;
  return `${org} ${table} ${name}, ${column}: stored ${near(have)} but rebuilt ${near(want)}`;
}

function sentenceOf({ services, rows, differences, replaced, left }: Rebuild, replace: boolean): string {
  const read = `${services} services from ${rows} rows of the ledger`;
  if (differences === 0) return `${read}: everything stored is what the ledger gives.`;
  if (!replace)
    return `${read}: ${differences} differences. \`evident rebuild\` replaces what can be replaced.`;
  const rest =
    left === 0 ? '' : ` ${left} are left: what is gone from the ledger comes back only from a backup.`;
  return `${read}: ${differences} differences, ${replaced} services replaced.${rest}`;
}

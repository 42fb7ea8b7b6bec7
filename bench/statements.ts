import type { Store } from '../src/store/port.ts';
import { POSTGRES } from '../src/store/postgres/dialect.ts';
import { Statements } from '../src/store/sql/statements.ts';
import type { Context } from './context.ts';
import { databasesOf } from './databases.ts';
import type { Figure } from './figures.ts';
import { costOf, interleaved } from './rounds.ts';

const ROWS = 100;
const FOR_MS = 150;

/** Compares each hand-written statement with the obvious one. */
export async function statements(context: Context): Promise<readonly Figure[]> {
  const figures: Figure[] = [await texts(context)];
  for (const database of databasesOf(context.databases)) {
    const store = await database.open(await database.create('statements'));
    try {
      figures.push(await appends(context, store, database.name));
    } finally {
      await store.close();
    }
  }
  return figures;
}

/** A text kept by its shape, beside one that Kysely builds for every call. */
async function texts({ effort }: Context): Promise<Figure> {
  const key = { org: 'a', service: 'web@lab' };
  const kept = new Statements(POSTGRES);
  const rounds = await interleaved(effort, {
    kept: () => costOf(FOR_MS, async () => kept.get('services', key, false)),
    built: () => costOf(FOR_MS, async () => new Statements(POSTGRES).get('services', key, false)),
  });
  return {
    bench: 'statements',
    what: 'text of a guard, kept by its shape',
    store: '',
    value: rounds.median('kept') * 1000,
    unit: 'µs',
    beside: { name: 'built by Kysely each time', value: rounds.median('built') * 1000 },
    ratio: rounds.ratio('kept', 'built'),
    goal: null,
  };
}

/** Rows appended together, beside one statement each. */
async function appends({ effort }: Context, store: Store, name: string): Promise<Figure> {
  let position = 0;
  const alarm = () => ({ org: 'a', position: String(++position), code: 'c', service: null, at: 1 });
  const hundred = (write: 'append' | 'insert') => () =>
    costOf(FOR_MS, () =>
      store.transact(async (tx) => {
        for (let n = 0; n < ROWS; n++) await tx[write]('alarms', alarm());
      }),
    );
  const rounds = await interleaved(effort, { append: hundred('append'), insert: hundred('insert') });
  return {
    bench: 'statements',
    what: `${ROWS} rows appended in one transaction`,
    store: name,
    value: rounds.median('append'),
    unit: 'ms',
    beside: { name: 'one insert each', value: rounds.median('insert') },
    ratio: rounds.ratio('append', 'insert'),
    goal: null,
  };
}

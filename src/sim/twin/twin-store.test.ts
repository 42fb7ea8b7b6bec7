import { afterEach, describe, expect, it } from 'vitest';
import { describeWithPostgres } from '../../../test/lab.ts';
import type { OpenTransaction } from '../../store/open-transaction.ts';
import type { Tx } from '../../store/port.ts';
import { runSchedule } from '../schedule.ts';
import { TWIN_COUNTERS } from './counters.ts';
import { openPostgres } from './real-postgres.ts';
import { openSqlite } from './real-sqlite.ts';
import type { RealStore } from './real-store.ts';

let open: RealStore[] = [];
afterEach(async () => {
  for (const real of open) await real.close();
  open = [];
});

async function keep(real: Promise<RealStore>): Promise<RealStore> {
  open.push(await real);
  return real;
}

/** SQLite, honest but for what is named. */
async function lying(lie: (real: RealStore) => Partial<RealStore>): Promise<RealStore> {
  const real = await keep(openSqlite());
  return { ...real, ...lie(real) };
}

const STEPS = 120;

/** The first violation of a few schedules: each lie shows in most of them. */
async function found(real: RealStore): Promise<string | null> {
  for (let seed = 1; seed <= 6; seed++) {
    const { violation } = await runSchedule(seed, { steps: STEPS, real });
    if (violation !== null) return violation.invariant;
  }
  return null;
}

describe('the simulator on SQLite', { timeout: 60_000 }, () => {
  it('finds nothing where both stores do the same, and has put all of it to the test', async () => {
    const real = await keep(openSqlite());
    // Servers die in it, inside transactions and right after a commit, and one gives up.
    const { violation, held } = await runSchedule(18, { steps: STEPS, real });
    expect(violation).toBeNull();
    for (const name of TWIN_COUNTERS) expect(held[name], name).toBeGreaterThan(0);
  });

  it('is decided by its seed', async () => {
    const real = await keep(openSqlite());
    const [a, b] = [
      await runSchedule(18, { steps: STEPS, real }),
      await runSchedule(18, { steps: STEPS, real }),
    ];
    expect(a).toEqual(b);
  });

  it('finds a guard that does not guard', async () => {
    const real = await lying(({ begin }) => ({
      begin: async () => {
        const transaction = await begin();
        const update: Tx['update'] = (table, key, _, set) => transaction.tx.update(table, key, {}, set);
        return { ...transaction, tx: instead(transaction.tx, { update }) };
      },
    }));
    expect(await found(real)).toBe('same answers');
  });

  it('finds a commit that was none', async () => {
    let commits = 0;
    const real = await lying(({ begin }) => ({
      begin: async () => {
        const transaction = await begin();
        const commit = () => (++commits % 40 === 0 ? transaction.rollback() : transaction.commit());
        return { ...transaction, commit };
      },
    }));
    expect(await found(real)).toMatch(/^same (answers|tables)$/);
  });

  it('finds what should have died with its connection', async () => {
    const real = await lying(() => ({
      drop: async (transaction: OpenTransaction | null) => transaction?.commit(),
    }));
    const { violation } = await runSchedule(18, { steps: STEPS, real });
    expect(violation?.invariant).toMatch(/^same (answers|tables)$/);
  });

  it('finds a row that only the end shows', async () => {
    const real = await lying(({ read }) => ({
      read: (work) =>
        read((tx) => {
          const select: Tx['select'] = async (table, where, options) => {
            const rows = await tx.select(table, where, options);
            return table === 'counters' ? [] : rows;
          };
          return work(instead(tx, { select }));
        }),
    }));
    expect(await found(real)).toBe('same tables');
  });

  it('finds a claim that only the past shows', async () => {
    const real = await lying(({ read }) => ({
      read: (work) =>
        read((tx) => {
          const select: Tx['select'] = async (table, where, options) => {
            const rows = await tx.select(table, where, options);
            return table === 'ledger' && 'receivedAt' in where ? rows.slice(1) : rows;
          };
          return work(instead(tx, { select }));
        }),
    }));
    expect(await found(real)).toBe('same claims');
  });
});

describeWithPostgres('the simulator on PostgreSQL', (newUrl) => {
  it('runs the very schedules that memory alone would have, and finds nothing', async () => {
    const real = await keep(openPostgres(await newUrl(), `twin_${process.pid}_${Date.now()}`));
    const alone = await runSchedule(18, { steps: STEPS });
    const { held, ...beside } = await runSchedule(18, { steps: STEPS, real });
    expect({ ...beside, held: alone.held }).toEqual(alone);
    for (const name of ['same claims', 'killed in its transaction'] as const)
      expect(held[name], name).toBeGreaterThan(0);
  }, 60_000);
});

/** The same transaction with some statements of another kind. */
function instead<T extends object>(tx: T, statements: Partial<Tx>): T {
  return new Proxy(tx, {
    get(target, name) {
      const other = statements[name as keyof Tx];
      const own = Reflect.get(target, name, target);
      return other ?? (typeof own === 'function' ? own.bind(target) : own);
    },
  });
}

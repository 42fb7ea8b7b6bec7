import { afterEach, describe, expect, it } from 'vitest';
import { Rng } from '../../lab/rng.ts';
import { DEFAULT_SETTINGS } from '../../src/projection/facts.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import type { OpenTransaction } from '../../src/store/open-transaction.ts';
import type { Read, Tx } from '../../src/store/port.ts';
import { describeWithPostgres } from '../../test/lab.ts';
import { Crashed } from '../kernel.ts';
import { runSchedule } from '../schedule.ts';
import { sameEnding } from './ending.ts';
import { openPostgres } from './real-postgres.ts';
import { openSqlite } from './real-sqlite.ts';
import type { RealStore } from './real-store.ts';
import { TwinStore } from './twin-store.ts';

let open: RealStore[] = [];
afterEach(async () => {
  for (const real of open) await real.close();
  open = [];
});

async function keep(real: Promise<RealStore>): Promise<RealStore> {
  open.push(await real);
  return real;
}

/** SQLite with the methods that `lie` replaces. */
async function lying(lie: (real: RealStore) => Partial<RealStore>): Promise<RealStore> {
  const real = await keep(openSqlite());
  return { ...real, ...lie(real) };
}

const STEPS = 120;

/** The first violation of a few schedules: most planted differences show in each of them. */
async function found(real: RealStore, schedules = 4): Promise<string | null> {
  for (let seed = 1; seed <= schedules; seed++) {
    const { violation } = await runSchedule(seed, { steps: STEPS, real });
    if (violation !== null) return violation.invariant;
  }
  return null;
}

describe('the simulator on SQLite', { timeout: 60_000 }, () => {
  it('finds no difference where both stores do the same', async () => {
    const real = await keep(openSqlite());
    expect(await found(real)).toBeNull();
  });

  it.each([
    ['lives', true],
    ['dies in a statement', false],
    ['dies before the commit', false],
    ['dies after the commit', true],
    ['gives up', false],
  ] as const)('has the same rows in both after one that %s', async (fate, stays) => {
    const real = await keep(openSqlite());
    const { memory, ending } = await live(real, fate);
    expect([...memory.tables.artifacts.keys()]).toEqual(stays ? ['a|x', 'a|y'] : ['a|y']);
    expect(await ending()).toBeNull();
  });

  it('is decided by its seed', async () => {
    const real = await keep(openSqlite());
    const [a, b] = [
      await runSchedule(2, { steps: STEPS, real }),
      await runSchedule(2, { steps: STEPS, real }),
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
    // A guard decides only where two writers meet.
    expect(await found(real, 30)).toBe('same answers');
  });

  it('finds a commit that did not happen', async () => {
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

  it('finds a write that should have been lost with its connection', async () => {
    const real = await lying(() => ({
      drop: async (transaction: OpenTransaction | null) => transaction?.commit(),
    }));
    await expect(live(real, 'dies in a statement')).rejects.toThrow(/lock artifacts .* it answers {"org"/);
  });

  it('finds a row that differs only at the end', async () => {
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

  it('finds a claim that differs only when it is read', async () => {
    const real = await lying(({ read }) => ({
      read: (work) =>
        read((tx) => {
          const readAll = (async (reads: readonly Read[]) => {
            const answers: readonly unknown[] = await tx.readAll(reads);
            return reads.map((ask, i) => (ask !== 'now' && ask.table === 'revisions' ? [] : answers[i]));
          }) as Tx['readAll'];
          return work(instead(tx, { readAll }));
        }),
    }));
    expect(await found(real)).toMatch(/^same (answers|claims)$/);
  });
});

describeWithPostgres('the simulator on PostgreSQL', (newUrl) => {
  it('runs the same schedules as memory alone, and finds no difference', async () => {
    const real = await keep(openPostgres(await newUrl(), `twin_${process.pid}_${Date.now()}`));
    for (const seed of [1, 2]) {
      const alone = await runSchedule(seed, { steps: STEPS });
      const { held, ...beside } = await runSchedule(seed, { steps: STEPS, real });
      expect({ ...beside, held: alone.held }).toEqual(alone);
      expect(held['same answers']).toBeGreaterThan(0);
      expect(held['same rows at the end']).toBeGreaterThan(0);
    }
  }, 60_000);

  it('has nothing left of a process that died in a statement', async () => {
    const real = await keep(openPostgres(await newUrl(), `twin_${process.pid}_${Date.now()}`));
    const { memory, ending } = await live(real, 'dies in a statement');
    expect([...memory.tables.artifacts.keys()]).toEqual(['a|y']);
    expect(await ending()).toBeNull();
  }, 60_000);
});

/** The same transaction with some of its methods replaced. */
function instead<T extends object>(tx: T, statements: Partial<Tx>): T {
  return new Proxy(tx, {
    get(target, name) {
      const other = statements[name as keyof Tx];
      const own = Reflect.get(target, name, target);
      return other ?? (typeof own === 'function' ? own.bind(target) : own);
    },
  });
}

type Fate = 'lives' | 'dies in a statement' | 'dies before the commit' | 'dies after the commit' | 'gives up';

/** Runs one transaction with its fate, and another one after it that needs the same row and must not wait. */
async function live(real: RealStore, fate: Fate) {
  let now: Fate = fate;
  let statements = 0;
  const strikes = (named: Fate) => {
    if (now === named) throw new Crashed();
  };
  const memory = new MemoryStore(
    () => 0,
    {
      before() {
        if (++statements === 2) strikes('dies in a statement');
        return undefined;
      },
      commit(apply) {
        strikes('dies before the commit');
        apply();
        strikes('dies after the commit');
        return undefined;
      },
      wait: () => {
        throw new Error('nobody has to wait');
      },
    },
    { serial: real.serial },
  );
  await real.reset(() => 0);
  const twin = new TwinStore(memory, real, new Rng(1));
  const first = twin.transact(async (tx) => {
    await tx.insert('artifacts', { org: 'a', digest: 'x', size: 1 });
    await tx.now();
    strikes('gives up');
  });
  await first.catch((error: unknown) => expect(error).toBeInstanceOf(Crashed));
  now = 'lives';
  await twin.transact(async (tx) => {
    await tx.lock('artifacts', { org: 'a', digest: 'x' });
    await tx.insert('artifacts', { org: 'a', digest: 'y', size: 1 });
  });
  const ending = async () => {
    await twin.end();
    return twin.difference ?? sameEnding(memory, real, DEFAULT_SETTINGS, new Rng(1), twin.counts);
  };
  return { memory, ending };
}

import { join } from 'node:path';
import pg from 'pg';
import { COLUMNS, type ColumnKind, sqlName } from '../src/store/columns.ts';
import { LaneQueue } from '../src/store/lane-queue.ts';
import { PostgresConnection } from '../src/store/postgres/connection.ts';
import { POSTGRES } from '../src/store/postgres/dialect.ts';
import type { EvidenceIdRow, Rows, ServiceRow, Table } from '../src/store/schema.ts';
import type { Column, DatabaseSession, Dialect, Value } from '../src/store/sql/dialect.ts';
import { Statements } from '../src/store/sql/statements.ts';
import { SqliteConnection } from '../src/store/sqlite/connection.ts';
import { SQLITE } from '../src/store/sqlite/dialect.ts';

/** The rows that one admitted item left in the store, to be written again as often as wanted. */
export interface Sample {
  readonly head: Rows['heads'];
  readonly ledger: Rows['ledger'];
  readonly id: EvidenceIdRow;
  readonly services: readonly ServiceRow[];
}

/** The driver alone: nobody asks whether the evidence may speak, what it proves, or who else writes. */
export interface Bare {
  /** The rows of a batch in one commit: ledger, ids, and the head and the services that they move. */
  batch(size: number, services: readonly number[]): Promise<number>;
  /** One row, one commit: what a plain status table does. */
  single(): Promise<number>;
  close(): Promise<void>;
}

/** Rows that differ only in position and id, made with as little work as can be. */
class Copies {
  readonly #ledger: readonly Value[];
  readonly #ids: readonly Value[];
  readonly proven: readonly string[];
  readonly services: readonly string[];
  readonly org: string;
  readonly #dialect: Dialect;
  /** Behind whatever the sample brought along. */
  #position = 1_000_000;

  constructor(dialect: Dialect, { ledger, id, services }: Sample) {
    const statements = new Statements(dialect);
    this.#dialect = dialect;
    this.#ledger = statements.encode('ledger', ledger);
    this.#ids = statements.encode('evidenceIds', id);
    this.proven = services.map((row) => JSON.stringify(row.proven));
    this.services = services.map((row) => row.service);
    this.org = ledger.org;
  }

  get position(): Value {
    return this.#dialect.encode('digits', String(this.#position));
  }

  next(): { ledger: Value[]; id: Value[] } {
    this.#position++;
    const position = this.position;
    const name = `bare-${this.#position}`;
    const ledger = this.#ledger.slice();
    ledger[LEDGER_POSITION] = position;
    ledger[LEDGER_ID] = name;
    const id = this.#ids.slice();
    id[IDS_POSITION] = position;
    id[IDS_ID] = name;
    return { ledger, id };
  }

  async rows(session: DatabaseSession, size: number): Promise<void> {
    const made = Array.from({ length: size }, () => this.next());
    await session.append(
      'ledger',
      LEDGER,
      made.map((row) => row.ledger),
    );
    await session.append(
      'evidence_ids',
      IDS,
      made.map((row) => row.id),
    );
  }
}

const columnsOf = (table: Table): Column[] =>
  Object.entries<ColumnKind>(COLUMNS[table]).map(([name, kind]) => ({ name: sqlName(name), kind }));
const LEDGER = columnsOf('ledger');
const IDS = columnsOf('evidenceIds');
const at = (columns: readonly Column[], name: string) => columns.findIndex((c) => c.name === name);
const [LEDGER_POSITION, LEDGER_ID] = [at(LEDGER, 'position'), at(LEDGER, 'id')];
const [IDS_POSITION, IDS_ID] = [at(IDS, 'position'), at(IDS, 'id')];

export function barePostgres(url: string, sample: Sample, connections: number): Bare {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  // The cluster may end before the last idle connection has.
  pool.on('error', () => {});
  const copies = new Copies(POSTGRES, sample);
  const { org } = copies;
  const services = `UPDATE services SET proven = u.proven::json, settled_to = settled_to + 1
    FROM unnest($2::text[], $3::text[]) AS u(service, proven)
    WHERE services.org = $1 AND services.service = u.service`;
  const marks = LEDGER.map((_, i) => `$${i + 1}`).join(', ');
  const insert = `INSERT INTO ledger (${LEDGER.map(({ name }) => `"${name}"`).join(', ')}) VALUES (${marks})`;
  return {
    async batch(size, touched) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await copies.rows(new PostgresConnection(client), size);
        const names = touched.map((i) => copies.services[i]);
        const proven = touched.map((i) => copies.proven[i]);
        await client.query({ name: 'services', text: services, values: [org, names, proven] });
        const head = 'UPDATE heads SET position = position + $2 WHERE org = $1';
        await client.query({ name: 'head', text: head, values: [org, size] });
        await client.query('COMMIT');
        return size;
      } finally {
        client.release();
      }
    },
    async single() {
      await pool.query({ name: 'single', text: insert, values: copies.next().ledger });
      return 1;
    },
    close: () => pool.end(),
  };
}

export function bareSqlite(dir: string, sample: Sample): Bare {
  const db = new SqliteConnection(join(dir, 'evident.db'));
  const copies = new Copies(SQLITE, sample);
  const { org } = copies;
  const line = new LaneQueue(1, 1_000);
  return {
    async batch(size, touched) {
      await line.enter('work');
      db.exec('BEGIN IMMEDIATE');
      await copies.rows(db, size);
      for (const i of touched)
        await db.run(
          'UPDATE services SET proven = ?, settled_to = settled_to + 1 WHERE org = ? AND service = ?',
          [copies.proven[i] ?? '', org, copies.services[i] ?? ''],
        );
      await db.run('UPDATE heads SET position = ? WHERE org = ?', [copies.position, org]);
      db.exec('COMMIT');
      line.leave();
      return size;
    },
    async single() {
      await db.append('ledger', LEDGER, [copies.next().ledger]);
      return 1;
    },
    close: async () => db.close(),
  };
}

import fc from 'fast-check';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { describeWithPostgres } from '../../../test/lab.ts';
import type { Value } from '../sql/dialect.ts';
import { encodeArray } from './binary-array.ts';
import { PostgresConnection } from './connection.ts';

const WELL_FORMED = fc.string({ unit: 'binary', maxLength: 80 }).map((text) => text.replaceAll('\0', ''));
const ROW = fc.tuple(
  fc.option(fc.oneof(WELL_FORMED, fc.constantFrom('', 'NULL', '{"a":"\\\\"}', 'ä', '𝒳'.repeat(40)))),
  fc.option(fc.maxSafeInteger()),
  fc.option(fc.boolean()),
  fc.option(fc.bigInt({ min: 0n, max: 10n ** 29n }).map(String)),
);

it('refuses a number that no column of whole numbers holds', () => {
  expect(() => encodeArray({ kind: 'int', values: [1.5] })).toThrow(RangeError);
  expect(() => encodeArray({ kind: 'int', values: [2 ** 60] })).toThrow(RangeError);
});

describeWithPostgres('arrays on PostgreSQL', (newUrl) => {
  let client: pg.Client | undefined;
  afterEach(() => client?.end());

  it('arrive as they were sent: letters of any kind, quotes, nulls, none at all', async () => {
    client = new pg.Client(await newUrl());
    await client.connect();
    const session = new PostgresConnection(client);
    const kinds = ['text', 'int', 'bool', 'digits'] as const;
    await fc.assert(
      fc.asyncProperty(fc.array(ROW, { maxLength: 12 }), async (rows) => {
        const arrays = kinds.map((kind, i) => ({ kind, values: rows.map((row) => row[i] as Value) }));
        const sql = 'SELECT * FROM unnest($1::text[], $2::bigint[], $3::boolean[], $4::numeric[])';
        expect(await session.rows(sql, arrays)).toEqual(rows);
      }),
      { numRuns: 200 },
    );
  });
});

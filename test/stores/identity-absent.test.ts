import pg from 'pg';
import { expect, it } from 'vitest';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { describeWithOwnPostgres } from '../lab.ts';

const NO_SYSTEM = 'REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC';
const NO_TIMELINE = 'REVOKE EXECUTE ON FUNCTION pg_current_wal_lsn() FROM PUBLIC';

/**
 * With a PostgreSQL of its own: a superuser cannot lose the right to call a function, and a role belongs to the
 * whole cluster.
 */
describeWithOwnPostgres(
  'the identity of a PostgreSQL whose functions a role may not call (F44)',
  (postgres) => {
    const identityAfter = async (...orders: readonly string[]) => {
      const url = new URL(await postgres.newUrl());
      const superuser = new pg.Client({ connectionString: url.href });
      await superuser.connect();
      const role = `plain_${url.pathname.slice(1)}`;
      const owned = `ALTER DATABASE "${url.pathname.slice(1)}" OWNER TO "${role}"`;
      for (const order of [`CREATE ROLE "${role}" LOGIN`, owned, ...orders]) await superuser.query(order);
      await superuser.end();
      url.username = role;
      const undisclosed: string[] = [];
      const store = await PostgresStore.open(url.href, {
        onUndisclosed: (sentence) => undisclosed.push(sentence),
      });
      const identity = await store.identity();
      await store.close();
      return { identity, undisclosed };
    };

    it('a role that may call all of them reads system identifier and timeline, without a warning', async () => {
      const { identity, undisclosed } = await identityAfter();
      expect(identity).toEqual({
        system: expect.stringMatching(/^\d+$/),
        timeline: expect.stringMatching(/^\w{8}$/),
      });
      expect(undisclosed).toEqual([]);
    });

    it('a role that may not read the system identifier reads the timeline, and is warned', async () => {
      const { identity, undisclosed } = await identityAfter(NO_SYSTEM);
      expect(identity).toEqual({ system: null, timeline: expect.stringMatching(/^\w{8}$/) });
      expect(undisclosed).toEqual([
        expect.stringMatching(/system identifier: .*GRANT EXECUTE ON FUNCTION pg_control_system\(\) TO/),
      ]);
    });

    it('a role that may read neither has no identity, and is warned of both', async () => {
      const { identity, undisclosed } = await identityAfter(NO_SYSTEM, NO_TIMELINE);
      expect(identity).toBeNull();
      expect(undisclosed).toEqual([
        expect.stringMatching(/identifier, nor its timeline: .*pg_control_system\(\), .*pg_walfile_name/),
      ]);
    });
  },
);

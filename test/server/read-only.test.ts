import pg from 'pg';
import { expect, it } from 'vitest';
import { describeWithPostgres } from '../lab.ts';
import { ok } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describeWithPostgres('a database that turns read-only, as a primary that was demoted (F48)', (newUrl) => {
  let url = '';
  const servers = useServers(async () => {
    url = await newUrl();
    return url;
  });

  /** Sets the default for new connections and ends the existing ones. */
  async function readOnly(is: 'on' | 'off') {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('SET default_transaction_read_only = off');
    await client.query(
      `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET default_transaction_read_only = ${is}`,
    );
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await client.end();
  }

  it('writes are refused with a 503, the server is not ready, reads continue; and it recovers', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start();
    const unused = api.as(await api.tokenFor('viewer'));
    const deploy = () => api.post('/v1/services/web@lab/deployments', { image: IMAGE });
    ok(await deploy(), 202);
    await readOnly('on');
    const ready = () => expect.poll(async () => (await api.get('/readyz')).body, { timeout: 20_000 });
    // The beat is written every second, and finds that the database is read-only.
    const saying = { code: 'unavailable', detail: expect.stringMatching(/takes no writes/) };
    await ready().toMatchObject(saying);
    expect(await deploy()).toMatchObject({ status: 503, body: saying });
    expect((await unused.get('/v1/services/web@lab/status')).status, 'a token that was never used').toBe(200);
    await readOnly('off');
    await ready().toMatchObject({ ready: true });
    ok(await deploy(), 202);
  });
});

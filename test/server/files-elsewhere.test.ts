import pg from 'pg';
import { expect, it } from 'vitest';
import { describeWithPostgres } from '../lab.ts';
import { Builder, ok, sourceForm } from './parties.ts';
import { type Server, useServers } from './servers.ts';

describeWithPostgres('servers of one database that keep their files apart', (newUrl) => {
  let url = '';
  const servers = useServers(async () => {
    url = await newUrl();
    return url;
  });
  const notesOf = async ({ api }: Server) => ok(await api.get('/readyz')).notes as string[];
  const untilSaid = async (server: Server, count: number) => {
    for (;;) {
      const notes = await notesOf(server);
      if (notes.length === count) return notes;
    }
  };
  const logs = '/v1/services/web@lab/logs';

  it('have one log of each build where they can read each other’s, whoever takes its lines in', {
    timeout: 60_000,
  }, async () => {
    const one = await servers.start();
    const two = await servers.start({ beside: one });
    const builder = new Builder(one.api.as(await one.api.tokenFor('builder')));
    ok(await two.api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({}) }), 202);
    const { service, revision, attempt, command, fence } = await builder.take(20_000);
    const say = async (server: Server, ...seqs: number[]) => {
      const about = { service, revision, attempt, command, fence, stream: 'build' };
      const items = seqs.map((seq) => ({
        ...about,
        seq,
        at: `2026-11-17T00:00:0${seq}Z`,
        line: `line ${seq}`,
      }));
      const as = server.api.as(builder.api.token);
      return ok(await as.post('/v1/logs', { items })).accepted;
    };
    const linesAt = async ({ api }: Server) =>
      String((await api.get(`${logs}?stream=build`)).body)
        .split('\n')
        .filter((text) => text !== '')
        .map((text) => JSON.parse(text).line);
    expect(await say(one, 1, 2)).toBe(2);
    const following = await two.api.events(`${logs}?stream=build&follow=1`);
    expect((await following.until(({ data }) => data.line === 'line 2')).event).toBe('log');
    await say(two, 2, 3);
    expect(await say(one, 4)).toBe(1);
    await following.until(({ data }) => data.line === 'line 4');
    following.close();
    const whole = ['line 1', 'line 2', 'line 3', 'line 4'];
    for (const server of [one, two]) {
      expect(await linesAt(server), 'what came twice is there once').toEqual(whole);
      expect(await notesOf(server)).toEqual([]);
    }
    one.process.kill('SIGTERM');
    await one.ended;
    expect(await linesAt(two), 'what one has that has stopped is still there').toEqual(whole);
    const again = await servers.start({ data: one.data });
    await say(again, 5);
    for (;;) if ((await linesAt(two)).length === 5) break;
    expect(await linesAt(two)).toEqual([...whole, 'line 5']);
  });

  it('say so of one whose files they cannot reach, and that none is not what they know', {
    timeout: 60_000,
  }, async () => {
    const one = await servers.start();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // As a server on another machine would: it beats here, and its directory is not to be seen.
    const beat = () =>
      client.query(
        `INSERT INTO beats (server, at, files)
         VALUES ('far-away', floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, '/nowhere/evident')
         ON CONFLICT (server) DO UPDATE SET at = EXCLUDED.at`,
      );
    let going = true;
    const beating = (async () => {
      while (going) {
        await beat();
        await new Promise((done) => setTimeout(done, 200));
      }
    })();
    expect(await untilSaid(one, 1)).toEqual([expect.stringMatching(/^Another server .*--files/)]);
    const doctor = servers.run(['doctor', '--server', one.api.address, '--data', one.data], {});
    expect(doctor.out).toMatch(/! server: Another server on this database[\s\S]*--files/);
    ok(await one.api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({}) }), 202);
    expect(await one.api.get(logs)).toMatchObject({
      status: 503,
      body: { code: 'unavailable', detail: expect.stringMatching(/--files/) },
    });
    going = false;
    await beating;
    await untilSaid(one, 0);
    await client.end();
  });
});

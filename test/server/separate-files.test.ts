import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWithPostgres } from '../lab.ts';
import { Builder, ok, sourceForm } from './parties.ts';
import { type Server, useServers } from './servers.ts';

const LOGS = '/v1/services/web@lab/logs';

describeWithPostgres('servers of one database', (newUrl) => {
  let url = '';
  const servers = useServers(async () => {
    url = await newUrl();
    return url;
  });
  /** A data directory for the same database, without the directory of files of another server. */
  const apart = async () => {
    const dir = await servers.newData();
    return (database: string) => servers.spawn(dir, ['--database', database]);
  };

  it('refuse to start without a common directory of files, and name its owner and the option to pass', {
    timeout: 60_000,
  }, async () => {
    const one = await servers.start();
    const database = url;
    const startApart = await apart();
    const two = startApart(database);
    const { code, errors } = await two.ended;
    expect(code).toBe(1);
    expect(errors).toContain(`keeps its files in ${one.data}, and this one in ${two.data}`);
    expect(errors).toContain('one common directory with --files');
    expect(errors, 'a sentence and no stack').not.toContain('    at ');
    expect(ok(await one.api.get('/readyz'))).toEqual({ ready: true, notes: [] });
    const { items } = ok(await one.api.get('/v1/workers'));
    expect(new Set(items.map(({ instance }: { instance: string }) => instance)).size).toBe(1);
    // The other server was killed: this one is alone.
    one.process.kill('SIGKILL');
    await one.ended;
    await startApart(database).ready;
  });

  it('start where one directory has two paths: its content identifies it', {
    timeout: 60_000,
  }, async () => {
    const one = await servers.start();
    const database = url;
    const mounts = await servers.newData();
    mkdirSync(mounts, { recursive: true });
    const mounted = join(mounts, 'mounted');
    symlinkSync(one.data, mounted);
    const data = await servers.newData();
    await servers.spawn(data, ['--database', database, '--files', mounted]).ready;
  });

  it('with separate directories that start together do not both run', { timeout: 60_000 }, async () => {
    const [first, second] = [await apart(), await apart()];
    const both = [first(url), second(url)];
    const states = await Promise.all(
      both.map(({ ready }) =>
        ready.then(
          () => 'runs',
          () => 'refused',
        ),
      ),
    );
    expect(states).toContain('refused');
  });

  it('share one log of each build, whichever server receives its lines', { timeout: 60_000 }, async () => {
    const one = await servers.start();
    const two = await servers.start({ beside: one });
    const builder = new Builder(one.api.as(await one.api.tokenFor('builder')));
    ok(await two.api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({}) }), 202);
    const { service, revision, attempt, command, fence } = await builder.take(20_000);
    const send = async (server: Server, ...seqs: number[]) => {
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
      String((await api.get(`${LOGS}?stream=build`)).body)
        .split('\n')
        .filter((text) => text !== '')
        .map((text) => JSON.parse(text).line);
    expect(await send(one, 1, 2)).toBe(2);
    const following = await two.api.events(`${LOGS}?stream=build&follow=1`);
    expect((await following.until(({ data }) => data.line === 'line 2')).event).toBe('log');
    await send(two, 2, 3);
    expect(await send(one, 4)).toBe(1);
    await following.until(({ data }) => data.line === 'line 4');
    following.close();
    const whole = ['line 1', 'line 2', 'line 3', 'line 4'];
    for (const server of [one, two])
      expect(await linesAt(server), 'what came twice is there once').toEqual(whole);
    one.process.kill('SIGTERM');
    await one.ended;
    expect(await linesAt(two), 'what one took in that has stopped is still there').toEqual(whole);
  });
});

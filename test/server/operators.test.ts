import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Answered, Api } from './api.ts';
import { Agent, Builder, ok, sourceForm, submit } from './parties.ts';
import { useServers } from './servers.ts';

describe('operators’ log, metrics and limits', () => {
  const servers = useServers();

  it('an alarm is a line in the log and a number in /metrics', { timeout: 60_000 }, async () => {
    const server = await servers.start();
    const { api } = server;
    const builder = new Builder(api.as(await api.tokenFor('builder')));
    ok(await api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({}) }), 202);
    const lease = await builder.take();
    const { results } = ok(
      await submit(builder.api, { ...lease, fence: '99' }, 'build.progress', { step: 1 }),
    );
    expect(results).toMatchObject([{ verdict: 'rejected', reason: 'unissued' }]);
    expect(ok(await api.get('/metrics'))).toMatch(/^evident_alarms_total\{code="unissued"\} 1$/m);
    const services = /^evident_services\{target="lab",state="\w+"\} 1$/m;
    expect(ok(await api.get('/metrics'))).toMatch(services);
    const stranger = await api.tokenFor('operator', { org: 'umbrella' });
    expect(ok(await api.as(stranger).get('/metrics')), 'targets of another org').not.toMatch(
      /^evident_services\{/m,
    );
    server.process.kill('SIGTERM');
    const { errors } = await server.ended;
    const lines = errors
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 40,
        alarm: 'unissued',
        org: 'default',
        service: 'web@lab',
        position: expect.stringMatching(/^\d+$/),
      }),
    );
  });

  it('a refused call is found in the log by its correlation; a failed sign-in is a warning', {
    timeout: 60_000,
  }, async () => {
    const data = await servers.newData();
    const server = servers.launch(['server', '--data', data, '--port', '0', '-o', 'json'], {
      EVIDENT_LOG: '',
    });
    const [, address = ''] = await server.until(/"api":"([^"]+)"/);
    const api = new Api(address, readFileSync(join(data, 'admin-token'), 'utf8').trim());
    const { body } = await api.get('/v1/services/none@lab/status?at=2020-01-01T00:00:00Z');
    const [line] = await server.until(new RegExp(`\\{.*${body.correlation}.*\\}`));
    expect(JSON.parse(line)).toMatchObject({
      level: 30,
      method: 'GET',
      url: '/v1/services/none@lab/status',
      status: 404,
      code: 'not_found',
    });
    const failed = await api.get('/v1/services', { token: 'evd_wrong' });
    const [warned] = await server.until(new RegExp(`\\{.*${failed.body.correlation}.*\\}`));
    expect(JSON.parse(warned)).toMatchObject({ level: 40, status: 401, code: 'unauthenticated' });
    expect(warned).not.toContain('evd_wrong');
    const nameless = await api.get('/v1/services', { token: null });
    const [logged] = await server.until(new RegExp(`\\{.*${nameless.body.correlation}.*\\}`));
    expect(JSON.parse(logged)).toMatchObject({ level: 30, status: 401 });
  });

  it('an org that calls too often is refused with its limit', { timeout: 60_000 }, async () => {
    const { api } = await servers.start({ args: ['--max-requests-per-second', '5'] });
    const answers = await Promise.all(Array.from({ length: 30 }, () => api.get('/v1/services')));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: 'too_many', limit: 5, detail: expect.stringContaining('5') });
  });

  it('a server whose --report-every exceeds --fresh-for does not start, and gives the reason', {
    timeout: 60_000,
  }, async () => {
    for (const times of [
      ['--fresh-for', '500'],
      ['--report-every', '60000'],
    ]) {
      const { code, errors } = await servers.spawn(await servers.newData(), times).ended;
      expect(code).toBe(1);
      expect(errors).toMatch(/--report-every.*--fresh-for/);
      expect(errors).not.toMatch(/\n\s+at /);
    }
  });

  it('a caller that floods a server delays no heartbeat and no report: components have a queue of their own (F49)', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start({ args: ['--max-requests-per-second', '20'] });
    const viewer = api.as(await api.tokenFor('viewer'));
    const builder = api.as(await api.tokenFor('builder'));
    const agent = new Agent(api.as(await api.tokenFor('agent')));
    const request = { kinds: ['build'], worker: 'b', instance: 'i', waitMs: 0 };
    const crowd = (act: () => Promise<Answered>) => Promise.all(Array.from({ length: 60 }, act));
    for (const flood of [
      () => viewer.get('/v1/targets'),
      () => viewer.post('/v1/evidence', { items: [{}] }),
      () => builder.post('/v1/logs', { items: [{}] }),
    ]) {
      const flooding = crowd(flood);
      await agent.register();
      expect([200, 204]).toContain((await builder.post('/v1/leases', request)).status);
      expect((await flooding).map(({ status }) => status)).toContain(429);
    }
    const own = (await crowd(() => builder.post('/v1/leases', request))).find(({ status }) => status === 429);
    expect(own?.body, 'and those are counted as well').toMatchObject({ code: 'too_many', limit: 20 });
  });
});

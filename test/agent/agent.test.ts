import { describe, expect, it } from 'vitest';
import { observed } from '../../src/runtime/conformance.ts';
import { WEB } from '../runtime/process-lab.ts';
import { ok } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { claimed, cleanUp, deploy, dirIn, running, startAgent } from './stage.ts';

const SPEC = { command: ['node', 'web.js'], port: 3000, stabilityMs: 300 };

describe('an agent with the process runtime, and a server', () => {
  const servers = useServers();
  cleanUp();

  it('the agent runs a deployment, scales it, and tears it down', async () => {
    const { api, data } = await servers.start();
    const agent = await startAgent(api, dirIn(data));
    const { digest } = await deploy(api, { 'web.js': WEB }, SPEC);
    const first = await claimed(api, running(1));
    expect(first).toMatchObject({ serving: { revision: 1, attempt: 1 }, outcome: 'succeeded' });
    const [before] = (await observed(agent.runtime)).instances;
    expect(before).toMatchObject({ artifact: digest, restarts: 0 });
    const { urls } = ok(await api.get('/v1/services/web@lab'));
    expect(urls[0]).toBe(`http://web.localhost:${agent.router.port}/`);
    expect(await (await fetch(urls[1])).json()).toMatchObject({ revision: '1' });

    ok(await api.post('/v1/services/web@lab/scalings', { replicas: 3 }), 202);
    await claimed(api, running(2));
    expect((await observed(agent.runtime)).instances).toHaveLength(3);
    expect((await observed(agent.runtime)).instances).toContainEqual(before);

    ok(await api.post('/v1/services/web@lab/restarts', {}), 202);
    await claimed(api, running(3));
    // Replaced processes may still be on their way out.
    const uids = async () => (await observed(agent.runtime)).instances.map((i) => i.uid);
    await expect.poll(uids, { timeout: 10_000 }).not.toContain(before?.uid);

    ok(await api.post('/v1/services/web@lab/scalings', { replicas: 0 }), 202);
    const none = await claimed(api, (c) => c.state === 'stopped' && c.desired.revision === 4);
    expect(none.cause.code).toBe('scaled_to_zero');

    ok(await api.call('DELETE', '/v1/services/web@lab'), 202);
    await claimed(api, (c) => c.state === 'stopped' && c.desired.revision === 5);
    expect(await observed(agent.runtime)).toMatchObject({ instances: [], services: [] });
  });

  it('a broken deploy leaves the old revision serving, the claim shows both, and the fix replaces it', async () => {
    const { api, data } = await servers.start();
    await startAgent(api, dirIn(data));
    await deploy(api, { 'web.js': WEB }, SPEC);
    await claimed(api, running(1));
    await deploy(api, { 'web.js': 'console.log("no database"); process.exit(7);' }, SPEC);
    const failed = await claimed(api, (c) => c.state === 'failed' && c.desired.revision === 2);
    expect(failed).toMatchObject({ cause: { code: 'crash_loop' }, serving: { revision: 1 } });
    const { urls } = ok(await api.get('/v1/services/web@lab'));
    expect(await (await fetch(urls[1])).json()).toMatchObject({ revision: '1' });
    const { body: log } = await api.get('/v1/services/web@lab/logs?stream=run&revision=2&tail=5');
    expect(log).toContain('no database');
    await deploy(api, { 'web.js': WEB }, SPEC);
    await claimed(api, running(3));
    expect(await (await fetch(urls[1])).json()).toMatchObject({ revision: '3' });
  });

  it('an app that answers, and throws again and again, is never running from its third exit on (F113)', async () => {
    const { api, data } = await servers.start();
    const agent = await startAgent(api, dirIn(data));
    const throwing = `${WEB} setTimeout(() => { throw new Error('again'); }, 1_500);`;
    await deploy(api, { 'web.js': throwing }, { ...SPEC, stabilityMs: 50 });
    const failed = await claimed(api, (c) => c.state === 'failed');
    expect(failed.cause.code).toBe('crash_loop');
    const restarts = async () => (await observed(agent.runtime)).instances[0]?.restarts ?? 0;
    await expect.poll(restarts, { timeout: 15_000 }).toBeGreaterThanOrEqual(4);
    // It answers in between, and the claim beside that stays the same.
    const status = async () => ok(await api.get('/v1/services/web@lab/status'));
    await expect
      .poll(async () => (await status()).serving, { timeout: 40_000, interval: 100 })
      .not.toBeNull();
    expect((await status()).message.body).toMatch(
      /^web-1 exited(?: with code 1,)? (?:at least )?\d+ times in \d+ (?:s|min|minutes)\. /,
    );
    const { items } = ok(await api.get('/v1/services/web@lab/transitions?limit=200'));
    const states = items.map((item: { to: string }) => item.to);
    expect(states).toContain('failed');
    expect(states.slice(states.indexOf('failed'))).not.toContain('running');
  });

  it('the agent submits why it cannot run a command', async () => {
    const { api, data } = await servers.start();
    await startAgent(api, dirIn(data));
    await deploy(api, { 'web.js': WEB }, { ...SPEC, command: ['not-a-program'] });
    const failed = await claimed(api, (c) => c.state === 'failed');
    expect(failed.cause.code).toBe('command_not_found');
    const { items } = ok(await api.get('/v1/services/web@lab/evidence'));
    const submitted = items.find((item: { kind: string }) => item.kind === 'runtime.apply_failed');
    expect(submitted.body).toMatchObject({ code: 'command_not_found', retrySafe: true });
    expect(submitted.body.message).toContain('not-a-program');
  });

  it('the agent stops acting when a newer registration fences it (F65), and leaves its processes running', async () => {
    const { api, data } = await servers.start();
    const first = await startAgent(api, dirIn(data));
    await deploy(api, { 'web.js': WEB }, SPEC);
    await claimed(api, running(1));
    const second = await startAgent(api, dirIn(data, 'other'));
    await expect(first.ended).rejects.toMatchObject({ name: 'AgentFenced' });
    expect((await observed(first.runtime)).instances).toMatchObject([{ ready: true, restarts: 0 }]);
    await second.stop();
  });
});

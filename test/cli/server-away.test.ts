import { describe, expect, it } from 'vitest';
import { ok } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { plain, useRuns } from './runs.ts';
import { stageFor } from './stage.ts';

const servers = useServers();
const runs = useRuns(servers);
const APP = {
  'index.html': 'hello',
  'evident.yaml': 'name: web\ntarget: lab\nport: 8080\nstabilityMs: 50\n',
};

/** A server is stopped, killed or frozen while a command waits. */
describe('a command waits while its server goes away', () => {
  it('a watch resumes when the server is back, and prints each transition once', {
    timeout: 120_000,
  }, async () => {
    const first = await servers.start();
    const stage = await stageFor(first, 'lab');
    const deploy = runs.pipe(['deploy', runs.folder(APP), '--detach', '-o', 'json'], { env: stage.env });
    expect(await deploy.code).toBe(0);
    const watch = runs.pipe(['watch', 'web@lab', '-o', 'json'], { env: stage.env });
    await watch.until('"event":"fresh"');
    // A frozen watch receives nothing, and its connection is gone afterwards.
    process.kill(watch.pid, 'SIGSTOP');
    first.process.kill('SIGKILL');
    const port = new URL(first.api.address).port;
    const second = await servers.start({ data: first.data, args: ['--port', port] });
    const { digest } = await stage.builds();
    process.kill(watch.pid, 'SIGCONT');
    await watch.until('"to":"artifact_ready"');
    await stage.runs(digest);
    expect(await watch.code, watch.err()).toBe(0);
    const events = watch
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const positions = events.filter(({ event }) => event === 'transition').map(({ position }) => position);
    const recorded = ok(await second.api.get('/v1/services/web@lab/transitions?limit=200')).items;
    const began = events.find(({ event }) => event === 'claim').position;
    const expected = recorded
      .map(({ position }: { position: string }) => position)
      .filter((p: string) => Number(p) > Number(began));
    expect(events.map(({ event }) => event)).toContain('lost');
    expect(positions.length).toBeGreaterThan(3);
    expect(positions).toEqual(expected.slice(0, positions.length));
    expect(events.at(-1)).toMatchObject({ event: 'settled', settled: { outcome: 'succeeded' } });
  });

  it('deploy exits with 5 when the server does not come back', async () => {
    const server = await servers.start();
    const stage = await stageFor(server, 'lab');
    const deploy = runs.pipe(['deploy', runs.folder(APP), '--give-up-after', '1s'], { env: stage.env });
    await deploy.until('waiting for worker');
    server.process.kill('SIGKILL');
    expect(await deploy.code).toBe(5);
    expect(deploy.err()).toContain('Look again: evident watch web@lab');
    const status = await runs.done(['status', 'web@lab', '-o', 'json'], { env: stage.env });
    expect([status.code, status.out, JSON.parse(status.err).code]).toEqual([5, '', 'unreachable']);
    const nowhere = await runs.done(['status', 'web'], { env: { EVIDENT_DATA: '/nowhere' } });
    expect([nowhere.code, nowhere.err]).toEqual([5, expect.stringContaining('evident up')]);
  });

  it('deploy shows the last known state while the server is frozen, and nothing as current', {
    timeout: 120_000,
  }, async () => {
    const server = await servers.start();
    const stage = await stageFor(server, 'lab');
    const deploy = runs.terminal(['deploy', runs.folder(APP)], { env: stage.env });
    await deploy.until('waiting for worker');
    const { digest } = await stage.builds();
    await deploy.until('● artifact ready');
    server.process.kill('SIGSTOP');
    await deploy.until('no word from the server');
    expect(plain(deploy.out())).toMatch(/\? artifact ready .*last known:/);
    server.process.kill('SIGCONT');
    await stage.runs(digest);
    expect(await deploy.code).toBe(0);
  });
});

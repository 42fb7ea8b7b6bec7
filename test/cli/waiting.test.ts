import { beforeAll, describe, expect, it } from 'vitest';
import { ok, submit } from '../server/parties.ts';
import { type Server, useServers } from '../server/servers.ts';
import { colours, plain, useRuns } from './runs.ts';
import { type Stage, stageFor } from './stage.ts';

const servers = useServers(null, true);
const runs = useRuns(servers);
const SPEC = 'port: 8080\nstabilityMs: 50\n';
let server: Server;
beforeAll(async () => {
  server = await servers.start();
}, 60_000);

/** A folder of an app, and the parties that run it on a target of its own. */
async function app(target: string, more = ''): Promise<{ dir: string; ref: string; stage: Stage }> {
  const dir = runs.folder({
    'index.html': 'hello',
    'evident.yaml': `name: web\ntarget: ${target}\n${SPEC}${more}`,
  });
  return { dir, ref: `web@${target}`, stage: await stageFor(server, target) };
}

/** Deploys an app until it runs. */
async function running(target: string, more = '') {
  const all = await app(target, more);
  const { env } = all.stage;
  const deploy = runs.pipe(['deploy', all.dir], { env });
  await deploy.until('waiting for worker');
  const { digest } = await all.stage.builds();
  await all.stage.runs(digest);
  expect(await deploy.code, deploy.err()).toBe(0);
  return { ...all, digest, deploy, env };
}

describe('commands that wait, through pipes', () => {
  it('deploy exits with 0 when it succeeds, and prints a line for each change without terminal codes', async () => {
    const { deploy } = await running('comes');
    const out = deploy.out();
    for (const word of ['waiting for worker', 'running. 1 of 1 ready'])
      expect(out).toContain(`web@comes r1.1  ${word}`);
    expect(out).toMatch(/✓ running/);
    expect(out).toContain('http://web.localhost:7718/');
    expect(out + deploy.err()).not.toContain('\x1b');
    expect(deploy.err()).toMatch(/^sent 2 files, .* packed, sha256:/);
  });

  it('deploy prints the builder’s steps as they happen, and a summary at the end', async () => {
    const { dir, stage } = await app('steps');
    const { api } = stage.builder;
    const deploy = runs.pipe(['deploy', dir], { env: stage.env });
    const lease = await stage.builder.take(20_000);
    const does = async (step: number, message: string) =>
      ok(await submit(api, lease, 'build.progress', { step, total: 2, message }));
    await does(0, 'fetching the source');
    await does(1, 'npm ci');
    await deploy.until('at step 1 of 2');
    await does(2, 'npm run build');
    await deploy.until('at step 2 of 2');
    await does(2, 'packing');
    await stage.runs(await stage.builder.builds(lease, 'twelve bytes'));
    expect(await deploy.code, deploy.err()).toBe(0);
    expect(deploy.out()).toMatch(/✓ building +[\d.]+ s +npm ci, npm run build\n/);
    expect(deploy.out()).toMatch(/✓ artifact ready .* sha256:[0-9a-f]{12}… 12 B\n/);
  });

  it.each(['pipe', 'terminal'] as const)(
    'deploy shows the output of the build as it is made, by %s',
    async (by) => {
      const { dir, stage } = await app(`output-${by}`);
      const deploy = runs[by](['deploy', dir], { env: stage.env });
      const lease = await stage.builder.take(20_000);
      ok(await submit(stage.builder.api, lease, 'build.progress', { step: 1, total: 1, message: 'npm ci' }));
      await stage.writes(lease, ['$ npm ci']);
      await deploy.until('│ $ npm ci');
      await stage.writes(lease, ['added 1 package'], 1);
      await deploy.until('│ added 1 package');
      await stage.runs(await stage.builder.builds(lease, 'some bytes'));
      expect(await deploy.code, deploy.err()).toBe(0);
      // A terminal replaces it by one line; what goes into a file stays.
      const last = plain(deploy.out()).split('attempt 1 ').at(-1);
      expect(last).toMatch(/✓ building +[\d.]+ s +npm ci/);
      expect(last).not.toContain('added 1 package');
    },
  );

  it.each(['pipe', 'terminal'] as const)(
    'watch --follow shows the output of each build, by %s',
    async (by) => {
      const { dir, ref, stage, env } = await running(`follow-${by}`);
      const watch = runs[by](['watch', ref, '--follow'], { env });
      await watch.until('running');
      for (const revision of [2, 3]) {
        const deploy = runs.pipe(['deploy', dir, '--env', `N=${revision}`, '--detach'], { env });
        expect(await deploy.code, deploy.err()).toBe(0);
        const lease = await stage.builder.take(20_000);
        ok(await submit(stage.builder.api, lease, 'build.progress', { step: 1, total: 1, message: 'x' }));
        await stage.writes(lease, [`$ make r${revision}`]);
        await watch.until(`│ $ make r${revision}`);
        await stage.runs(await stage.builder.builds(lease, `bytes ${revision}`));
      }
    },
  );

  it('of a build that failed, a terminal shows the lines of the cause once', async () => {
    const { dir, stage } = await app('once');
    const deploy = runs.terminal(['deploy', dir], { env: stage.env });
    const steps = Array.from({ length: 12 }, (_, i) => `step ${i}`);
    await stage.fails([...steps, 'Error: Cannot find module left']);
    expect(await deploy.code).toBe(1);
    const last = plain(deploy.out()).split('attempt 1 ').at(-1) ?? '';
    expect(last.match(/Cannot find module left/g)).toHaveLength(1);
    expect(last).not.toContain('step 1\n');
  });

  it('deploy -o json exits with 0 and prints the settled claim, one object, and nothing else', async () => {
    const { dir, stage } = await app('json');
    const deploy = runs.pipe(['deploy', dir, '-o', 'json'], { env: stage.env });
    await stage.runs((await stage.builds()).digest);
    expect(await deploy.code).toBe(0);
    expect(JSON.parse(deploy.out())).toMatchObject({
      service: 'web@json',
      state: 'running',
      settled: { revision: 1, attempt: 1, outcome: 'succeeded' },
    });
    expect(deploy.err()).toBe('');
  });

  it('deploy exits with 1 when it fails, and prints the end of the log, what still serves, the owner and the next command', async () => {
    const { dir, ref, stage, env } = await running('fails');
    const deploy = runs.pipe(['deploy', dir], { env });
    await stage.fails(['npm ci', 'boom: no such module']);
    await stage.keeps();
    expect(await deploy.code).toBe(1);
    const out = deploy.out();
    expect(out).toMatch(/✗ building/);
    expect(out.match(/│ boom: no such module/g)).toHaveLength(1);
    expect(out.match(/npm ci/g)).toHaveLength(1);
    expect(out).toMatch(/^ {2}✗ The build failed$/m);
    expect(out).toContain('still serving r1');
    expect(out).toContain('Your move: fix it and deploy again. Retrying does no harm, but will fail');
    expect(out).toMatch(/next: evident logs web@fails\nthen: evident deploy\n/);
    const quiet = await runs.done(['watch', ref, '--quiet'], { env });
    expect(quiet).toMatchObject({ code: 1, out: '' });
    expect(quiet.err).toContain('The build failed');
  });

  it('commands exit with 2 when the server refuses or they are misused; with -o json they print the problem object', async () => {
    const { dir, stage } = await app('refused');
    const viewer = await server.api.tokenFor('viewer');
    const refused = await runs.done(['deploy', dir, '-o', 'json'], {
      env: { ...stage.env, EVIDENT_SERVER: server.api.address, EVIDENT_TOKEN: viewer },
    });
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(JSON.parse(refused.err)).toMatchObject({ code: 'forbidden', status: 403 });
    for (const args of [
      ['retry', 'none@refused'],
      ['deploy', '/nowhere'],
      ['scale', 'web'],
      ['teardown', 'x', '--force'],
    ]) {
      const { code, out, err } = await runs.done(args, { env: stage.env });
      expect([args, code, out]).toEqual([args, 2, '']);
      expect(err).not.toMatch(/\n\s+at /);
      const json = await runs.done([...args, '-o', 'json'], { env: stage.env });
      expect([json.code, JSON.parse(json.err)]).toEqual([
        2,
        expect.objectContaining({ code: expect.any(String) }),
      ]);
    }
  });

  it('a forced teardown of a service that another tool manages removes it from the lists without waiting', async () => {
    const { stage } = await app('observed');
    const ref = 'theirs@observed';
    ok(await server.api.post(`/v1/services/${ref}/deployments`, { observe: true }), 202);
    const { env } = stage;
    const teardown = await runs.done(['teardown', ref, '--force', '--reason', 'mistyped'], { env });
    expect([teardown.code, teardown.err]).toEqual([0, '']);
    expect(teardown.out).toContain(`${ref} is off the lists.`);
    const listed = await runs.done(['services', '-o', 'json'], { env });
    expect(JSON.parse(listed.out).map((item: { ref: string }) => item.ref)).not.toContain(ref);
  });

  it('teardown exits with 3 when its end cannot be proven', async () => {
    const { ref, env } = await running('abandoned', 'deadlines: {stopMs: 300}\n');
    const teardown = await runs.done(['teardown', ref, '--yes'], { env });
    expect(teardown.code, teardown.out).toBe(3);
    expect(teardown.out).toContain(`next: evident teardown ${ref}`);
    const watched = await runs.done(['watch', ref, '-o', 'json'], { env });
    expect(watched.code).toBe(3);
  });

  it('deploy exits with 4 when it is cancelled or superseded', async () => {
    const { dir, ref, stage } = await app('gone');
    const first = runs.pipe(['deploy', dir], { env: stage.env });
    await first.until('waiting for worker');
    expect(await runs.done(['cancel', ref, '-o', 'json'], { env: stage.env })).toMatchObject({
      code: 0,
      err: '',
    });
    expect(await first.code).toBe(4);
    expect(first.out()).toContain(`next: evident retry ${ref}`);

    const second = runs.pipe(['deploy', dir, '-o', 'json'], { env: stage.env });
    const { lease } = await stage.builds();
    expect(lease.revision).toBe(2);
    const third = await runs.done(['deploy', dir, '--detach', '-o', 'json'], { env: stage.env });
    expect([third.code, JSON.parse(third.out)]).toEqual([
      0,
      expect.objectContaining({ revision: 3, attempt: 1 }),
    ]);
    expect(await second.code).toBe(4);
    expect(JSON.parse(second.out())).toMatchObject({
      desired: { revision: 3 },
      settled: { revision: 2, outcome: 'superseded' },
    });
  });

  it('Ctrl-C ends the wait with 130 and not the work, and the command to watch again is printed', async () => {
    const { dir, ref, stage } = await app('leaves');
    const deploy = runs.pipe(['deploy', dir], { env: stage.env });
    await deploy.until('waiting for worker');
    process.kill(deploy.pid, 'SIGINT');
    expect(await deploy.code).toBe(130);
    expect(deploy.err()).toContain(`Look again: evident watch ${ref}`);
    const json = runs.pipe(['watch', ref, '-o', 'json'], { env: stage.env });
    await json.until('"event":"fresh"');
    process.kill(json.pid, 'SIGINT');
    expect([await json.code, JSON.parse(json.err()).code]).toEqual([130, 'interrupted']);
    const watch = runs.pipe(['watch', ref], { env: stage.env });
    await watch.until('waiting for worker');
    await stage.runs((await stage.builds()).digest);
    expect(await watch.code).toBe(0);
    expect(watch.out()).toMatch(/✓ waiting for worker +\d/);
    expect((await runs.done(['watch', ref], { env: stage.env })).code).toBe(0);
  });

  it('watch --follow continues after the outcome, and shows unknown when the target falls silent (S2)', async () => {
    const { ref, env } = await running('silent');
    const watch = runs.pipe(['watch', ref, '--follow'], { env });
    // On a slow machine the silence may have begun before the command has.
    await watch.until(/running\. 1 of 1 ready|unknown: the target is silent/);
    await watch.until('unknown: the target is silent');
    process.kill(watch.pid, 'SIGINT');
    expect(await watch.code).toBe(130);
  });

  it('deploy waits behind a queued revision', async () => {
    const { dir, stage } = await app('queue', 'concurrency: queue\n');
    const first = runs.pipe(['deploy', dir], { env: stage.env });
    await first.until('waiting for worker');
    const second = runs.pipe(['deploy', dir], { env: stage.env });
    await second.until('waits behind r1');
    await stage.runs((await stage.builds()).digest);
    expect(await first.code).toBe(0);
    await stage.runs((await stage.builds()).digest);
    expect(await second.code).toBe(0);
  });
});

describe('the actions on a service', () => {
  it('retry, restart, scale, rollback and teardown wait for their outcome', {
    timeout: 120_000,
  }, async () => {
    const { dir, ref, stage, env, digest } = await running('repairs');
    const failing = runs.pipe(['deploy', dir], { env });
    await stage.fails(['boom']);
    expect(await failing.code).toBe(1);
    const settled = async (args: readonly string[], replicas: number) => {
      const run = runs.pipe([...args, '-o', 'json'], { env });
      await stage.runs(digest, replicas);
      expect(await run.code, run.err()).toBe(0);
      return JSON.parse(run.out());
    };
    const retry = runs.pipe(['retry', ref, '-o', 'json'], { env });
    const built = await stage.builds();
    await stage.runs(built.digest);
    expect([await retry.code, JSON.parse(retry.out()).settled]).toEqual([
      0,
      { revision: 2, attempt: 2, outcome: 'succeeded' },
    ]);
    const rolled = await settled(['rollback', ref, '--to', '1'], 1);
    expect(rolled).toMatchObject({ state: 'running', settled: { revision: 3 } });
    expect(await settled(['restart', ref], 1)).toMatchObject({ state: 'running', settled: { revision: 4 } });
    expect(await settled(['scale', ref, '2'], 2)).toMatchObject({ desired: { replicas: 2 } });
    expect(await settled(['scale', ref, '0'], 0)).toMatchObject({ state: 'stopped' });
    const teardown = runs.pipe(['teardown', ref, '--yes'], { env });
    const lease = await stage.agent.take(20_000);
    await stage.agent.removes(lease);
    await stage.agent.sees([]);
    expect(await teardown.code, teardown.out()).toBe(0);
    expect(teardown.out()).toMatch(/✓ stopped/);
  });
});

describe('on a terminal', () => {
  it('deploy redraws one block, in colour, and exits with 0', async () => {
    const { dir, stage } = await app('drawn');
    const deploy = runs.terminal(['deploy', dir], { env: stage.env });
    await deploy.until('waiting for worker');
    const { digest } = await stage.builds();
    await deploy.until('✓');
    await stage.runs(digest);
    expect(await deploy.code).toBe(0);
    expect(colours(deploy.out()).length).toBeGreaterThan(0);
    const output = plain(deploy.out());
    expect(output).toMatch(/web@drawn {2}r1 · attempt 1 +deployed by/);
    expect(output).toMatch(/✓ running +1 of 1 ready/);
    // The cursor is visible again for the next command.
    expect(deploy.out().lastIndexOf('\x1b[?25h')).toBeGreaterThan(deploy.out().lastIndexOf('\x1b[?25l'));
  });

  it.each([
    ['NO_COLOR', [], { NO_COLOR: '1' }],
    ['--no-color', ['--no-color'], {}],
  ] as const)('deploy prints no colours with %s', async (_name, flags, env) => {
    const { ref, stage } = await running(`plain-${flags.length}`);
    const watch = runs.terminal(['watch', ref, ...flags], { env: { ...stage.env, ...env } });
    expect(await watch.code).toBe(0);
    expect(colours(watch.out())).toEqual([]);
    expect(plain(watch.out())).toMatch(/✓ running/);
  });

  it('deploy prints plain lines on a dumb terminal', async () => {
    const { ref, stage } = await running('dumb');
    const watch = runs.terminal(['watch', ref], { env: { ...stage.env, TERM: 'dumb' } });
    expect(await watch.code).toBe(0);
    expect(watch.out()).not.toContain('\x1b');
  });

  it('deploy fits into 24 columns', async () => {
    const { ref, stage } = await running('narrow');
    const watch = runs.terminal(['watch', ref], { env: stage.env, columns: 24 });
    expect(await watch.code).toBe(0);
    for (const line of plain(watch.out())
      .split('\n')
      .filter((text) => !text.startsWith('http')))
      expect([...line].length, line).toBeLessThanOrEqual(24);
  });

  it('Ctrl-C as a key ends the wait with 130', async () => {
    const { dir, ref, stage } = await app('key');
    const deploy = runs.terminal(['deploy', dir], { env: stage.env });
    await deploy.until('waiting for worker');
    deploy.write('\x03');
    expect(await deploy.code).toBe(130);
    expect(plain(deploy.out())).toContain(`Look again: evident watch ${ref}`);
    expect(ok(await server.api.get(`/v1/services/${ref}/status`)).state).toBe('waiting_for_worker');
  });

  it('teardown requires a yes, and does nothing without it', async () => {
    const { ref, stage } = await running('confirmed');
    const no = runs.terminal(['teardown', ref], { env: stage.env });
    await no.until('[y/N]');
    no.write('n\r');
    expect(await no.code).toBe(4);
    expect(plain(no.out())).toContain('Nothing was changed.');
    const left = runs.terminal(['teardown', ref], { env: stage.env });
    await left.until('[y/N]');
    left.write('\x03');
    expect(await left.code).toBe(130);
    expect(ok(await server.api.get(`/v1/services/${ref}/revisions`)).items).toHaveLength(1);
    await stage.keeps();
    const yes = runs.terminal(['teardown', ref], { env: stage.env });
    await yes.until('[y/N]');
    yes.write('y\r');
    const lease = await stage.agent.take(20_000);
    await stage.agent.removes(lease);
    await stage.agent.sees([]);
    expect(await yes.code).toBe(0);
  });
});

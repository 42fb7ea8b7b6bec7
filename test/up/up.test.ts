import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { removeDirectory } from '../../lab/remove-directory.ts';
import { screenOf } from '../cli/screen.ts';
import { pidIn, useInstallations, webApp } from './installation.ts';

const TIMEOUT = { timeout: 180_000 };

describe('evident up', () => {
  const { start, terminal, evident, evidentJson, answer, folder, cli, urlOf, instances, instancesUntil } =
    useInstallations();
  const deploy = (installation: Parameters<typeof evidentJson>[0], dir: string, ...args: readonly string[]) =>
    evidentJson(installation, 'deploy', dir, '--service', 'web', ...args);

  it(
    'runs the example; its app survives a stop and is adopted at the next start; down ends both',
    TIMEOUT,
    async () => {
      const first = await start(undefined, ['--example']);
      const url = await urlOf(first, 'hello@local');
      const text = await answer(first, 'hello@local');
      expect(text).toContain('Hello from Evident');
      const before = await instances(first, 'hello@local');
      process.kill(first.up.pid, 'SIGINT');
      expect(await first.up.code).toBe(0);
      expect(first.up.out()).toContain('{"event":"stopped","running":1}');
      expect(await (await fetch(url)).text(), 'behind the router, which goes on').toBe(text);

      const again = await start(first.data, ['--example']);
      const [after] = await instances(again, 'hello@local');
      expect(after, 'adopted').toMatchObject({ uid: before[0]?.uid, restarts: 0 });
      expect(await evidentJson(again, 'history', 'hello'), 'nothing was deployed again').toHaveLength(1);

      // Killed, it leaves everything as it is; `down` ends what is left.
      process.kill(again.up.pid, 'SIGKILL');
      await again.up.code;
      expect(await (await fetch(url)).text(), 'still').toBe(text);
      const killed = await start(first.data, ['--example']);
      expect(await (await fetch(url)).text(), 'the same router').toBe(text);

      expect(await evidentJson(killed, 'down')).toEqual({ event: 'down', server: true, ended: 1 });
      await expect(fetch(url), 'the router too').rejects.toThrow();
      expect(await killed.up.code).toBe(0);
      expect(await evidentJson(killed, 'down')).toEqual({ event: 'down', server: false, ended: 0 });

      const anew = await start(first.data, ['--example']);
      expect(await answer(anew, 'hello@local')).toContain('Hello from Evident');
      const [begun] = await instancesUntil(anew, 'hello@local', ([app]) => app?.ready === true);
      expect(begun, 'ended by us, and not by itself').toMatchObject({ restarts: 0 });
      expect(begun?.uid).not.toBe(before[0]?.uid);
    },
  );

  it(
    'a broken deploy leaves the old revision serving and shows both; a fix runs; a rollback restores the old one',
    TIMEOUT,
    async () => {
      const installation = await start();
      const good = await deploy(installation, folder(webApp('one')));
      expect(good).toMatchObject({ state: 'running', serving: { revision: 1 } });
      expect(await answer(installation, 'web@local')).toMatch(/^one /);

      const broken = folder(webApp('two', 'process.exit(3);'));
      const failed = terminal(installation, 'deploy', broken, '--service', 'web');
      expect(await failed.code).toBe(1);
      const screen = await screenOf(failed.out());
      expect(screen).toMatch(/✗ starting .*\n {4}running .*\n\n {2}✗ The app does not stay up\n/);
      expect(screen, 'below what grew in the middle').toMatch(/\nstill serving r1 \(seen .* ago\)$/);
      expect(screen.match(/still serving/g), 'nothing of an earlier frame').toHaveLength(1);
      expect(await evidentJson(installation, 'status', 'web')).toMatchObject({
        state: 'failed',
        desired: { revision: 2 },
        cause: { code: 'crash_loop' },
        serving: { revision: 1 },
      });
      expect(await answer(installation, 'web@local'), 'still served').toMatch(/^one /);

      // Accepts connections and never answers: probed in vain, and never routed to.
      const deaf = {
        ...webApp('deaf'),
        'app.js': "require('node:net').createServer().listen(process.env.PORT);",
      };
      const silent = cli(installation, 'deploy', folder(deaf), '--service', 'web');
      await silent.until(/does not answer/);
      expect(await answer(installation, 'web@local'), 'still served').toMatch(/^one /);
      // Answers for a while, and ends within its stability window: then the old revision serves again.
      const fleeting = folder(webApp('fleeting', 'setTimeout(() => process.exit(3), 1500);'));
      expect((await evident(installation, 'deploy', fleeting, '--service', 'web')).code).toBe(1);
      expect(await silent.code, 'superseded').toBe(4);
      expect(await answer(installation, 'web@local'), 'served again').toMatch(/^one /);
      expect(await evidentJson(installation, 'status', 'web')).toMatchObject({
        state: 'failed',
        serving: { revision: 1 },
      });

      expect(await deploy(installation, folder(webApp('three')))).toMatchObject({ serving: { revision: 5 } });
      expect(await answer(installation, 'web@local')).toMatch(/^three /);
      expect(await evidentJson(installation, 'rollback', 'web', '--to', '1')).toMatchObject({
        state: 'running',
        desired: { revision: 6 },
      });
      expect(await answer(installation, 'web@local')).toMatch(/^one /);
    },
  );

  it('scales to three, keeping the running instance, to none and back; tears down', TIMEOUT, async () => {
    const installation = await start();
    await deploy(installation, folder(webApp('one', "setInterval(() => console.log('tick'), 100);")));
    const [one] = await instances(installation, 'web@local');
    expect(await evidentJson(installation, 'scale', 'web', '3')).toMatchObject({ state: 'running' });
    const three = await instances(installation, 'web@local');
    expect(three).toHaveLength(3);
    expect(three.map((instance) => instance.uid)).toContain(one?.uid);
    const url = await urlOf(installation, 'web@local');
    const answers = await Promise.all(Array.from({ length: 12 }, async () => (await fetch(url)).text()));
    expect(new Set(answers).size, 'spread over all of them').toBe(3);
    const logs = cli(installation, 'logs', 'web', '-f', '-o', 'json');
    for (const { name } of three) await logs.until(new RegExp(`"instance":"${name}".*tick`));

    expect(await evidentJson(installation, 'scale', 'web', '0')).toMatchObject({ desired: { replicas: 0 } });
    expect(await instances(installation, 'web@local')).toEqual([]);
    await evidentJson(installation, 'scale', 'web', '1');
    expect(await answer(installation, 'web@local')).toMatch(/^one /);
    expect(await evidentJson(installation, 'teardown', 'web', '--yes')).toMatchObject({ state: 'stopped' });
    expect(await instances(installation, 'web@local')).toEqual([]);
    expect(await evident(installation, 'logs', 'web', '-n', '5')).toMatchObject({
      code: 0,
      out: expect.stringContaining('tick'),
    });
  });

  it('cancels a build, and of two concurrent deploys runs the newer', TIMEOUT, async () => {
    const installation = await start();
    const slow = {
      ...webApp('slow'),
      'evident.yaml': 'build: sleep 120\ncommand: node app.js\nport: 3000\n',
    };
    const waiting = cli(installation, 'deploy', folder(slow), '--service', 'web');
    await waiting.until('building');
    expect(await evident(installation, 'cancel', 'web')).toMatchObject({ code: 0 });
    expect(await waiting.code).toBe(4);

    const first = cli(installation, 'deploy', folder(slow), '--service', 'web');
    await first.until('building');
    expect(await deploy(installation, folder(webApp('newer')))).toMatchObject({ state: 'running' });
    expect(await first.code, 'superseded').toBe(4);
    expect(await answer(installation, 'web@local')).toMatch(/^newer /);
  });

  it('after a kill its claims are true; an app that died meanwhile is started again', TIMEOUT, async () => {
    const first = await start();
    await deploy(first, folder(webApp('one')));
    const text = await answer(first, 'web@local');
    const pid = pidIn(text);
    process.kill(first.up.pid, 'SIGKILL');
    await first.up.code;
    expect(process.kill(pid, 0), 'the app outlives Evident').toBe(true);

    const second = await start(first.data);
    await instancesUntil(second, 'web@local', ([app]) => app?.ready === true);
    expect(await answer(second, 'web@local'), 'adopted, not restarted').toBe(text);
    expect(pidIn(text)).toBe(pid);
    process.kill(second.up.pid, 'SIGKILL');
    await second.up.code;
    process.kill(pid, 'SIGKILL');

    const third = await start(first.data);
    await instancesUntil(third, 'web@local', ([app]) => app?.restarts === 1 && app.ready);
    expect(pidIn(await answer(third, 'web@local'))).not.toBe(pid);
  });

  it(
    'reports its apps’ new addresses before it is ready, when another program has taken their port',
    TIMEOUT,
    async () => {
      const first = await start();
      await deploy(first, folder(webApp('one')));
      const url = await urlOf(first, 'web@local');
      const text = await answer(first, 'web@local');
      process.kill(first.up.pid, 'SIGKILL');
      await first.up.code;
      // Happened in CI: the same name in another Evident requests the same port.
      const stranger = createServer((_, response) => response.end('somebody else'));
      await new Promise<void>((done) => {
        stranger.once('error', () => done());
        stranger.listen(Number(new URL(url).port), '127.0.0.1', done);
      });
      try {
        const second = await start(first.data);
        expect(await answer(second, 'web@local')).toBe(text);
      } finally {
        stranger.close();
      }
    },
  );

  it('refuses an image for a target that runs processes, with the reason', TIMEOUT, async () => {
    const installation = await start();
    const refused = await evident(
      installation,
      'deploy',
      '--image',
      'nginx:1',
      '--service',
      'web',
      '-o',
      'json',
    );
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({
      state: 'failed',
      cause: { code: 'image_unsupported' },
      message: { body: expect.stringContaining('runs processes and no images') },
      next: { owner: 'user', action: 'deploy' },
    });
  });

  it('says what to do where it cannot start', TIMEOUT, async () => {
    const installation = await start();
    const second = await evident(installation, 'up', '--data', installation.data, '--port', '0');
    expect(second.code).toBe(1);
    expect(second.err).toMatch(/belongs to a running Evident/);
    const port = /"api":"http:\/\/127.0.0.1:(\d+)"/.exec(installation.up.out())?.[1] ?? '';
    const other = `${installation.data}-other`;
    try {
      const taken = await evident(installation, 'up', '--data', other, '--port', port);
      expect(taken.code).toBe(1);
      expect(taken.err).toMatch(/Port \d+ on 127\.0\.0\.1 is in use/);
    } finally {
      await removeDirectory(other);
    }
    const nowhere = await evident(installation, 'up', '--data', '/proc/nowhere');
    expect(nowhere.code).toBe(1);
    expect(nowhere.err).not.toContain('    at ');
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isolationOf } from '../../src/runtime/process/isolation.ts';
import { type Installation, useInstallations } from './installation.ts';

const TIMEOUT = { timeout: 120_000 };

/** Tries to read what is not its own, and answers with what it got. */
const SPY = `
const fs = require('node:fs');
const tried = (what) => { try { return what(); } catch (error) { return error.code; } };
const environments = () => fs.readdirSync('/proc').filter((pid) => /^\\d+$/.test(pid) && Number(pid) !== process.pid)
  .map((pid) => tried(() => fs.readFileSync('/proc/' + pid + '/environ', 'utf8')))
  .filter((text) => text.includes('SECRET_OF') && !text.includes('SECRET_OF=' + process.env.SECRET_OF));
require('node:http').createServer((q, s) => s.end(JSON.stringify({
  uid: process.getuid(),
  token: tried(() => fs.readFileSync(process.env.DATA + '/admin-token', 'utf8')),
  data: tried(() => fs.readdirSync(process.env.DATA)),
  outside: tried(() => { fs.writeFileSync(process.env.DATA + '/mine', 'x'); return 'written'; }),
  others: environments().length,
  home: tried(() => { fs.writeFileSync(process.env.HOME + '/mine', 'x'); return 'written'; }),
  cwd: tried(() => { fs.writeFileSync('mine', 'x'); return 'written'; }),
  tmp: tried(() => { fs.writeFileSync('/tmp/mine', 'x'); return fs.readdirSync('/tmp').join(); }),
  built: fs.readFileSync('built.json', 'utf8'),
}))).listen(process.env.PORT);
`;
const BUILD = `
const fs = require('node:fs');
const tried = (what) => { try { return what(); } catch (error) { return error.code; } };
fs.writeFileSync('built.json', JSON.stringify({ uid: process.getuid(), token: tried(() => fs.readFileSync(process.env.DATA + '/admin-token', 'utf8')) }));
`;

const KIND = isolationOf('/nowhere', []).kind;

describe.skipIf(KIND === 'none')(`apps beside the server (F127), kept apart by ${KIND}`, () => {
  const { start, evidentJson, evident, answer, folder } = useInstallations();
  const spy = (data: string) =>
    folder({
      'package.json': JSON.stringify({
        name: 'spy',
        scripts: { build: `DATA=${data} node build.js`, start: 'node web.js' },
      }),
      'web.js': SPY,
      'build.js': BUILD,
    });

  it(
    'neither read the data directory nor each other, while they run and while they are built',
    TIMEOUT,
    async () => {
      const installation = await start();
      const { data } = installation;
      const answers: Record<string, unknown>[] = [];
      for (const name of ['one', 'two'])
        await evidentJson(
          installation,
          ...['deploy', spy(data), '--service', name, '--env', `SECRET_OF=${name}`, '--env', `DATA=${data}`],
        );
      for (const name of ['one', 'two'])
        answers.push(JSON.parse(await answer(installation, `${name}@local`)) as Record<string, unknown>);
      // Another user may not enter; in a namespace there is nothing to enter.
      const refused = KIND === 'users' ? 'EACCES' : 'ENOENT';
      for (const found of answers)
        expect(found).toMatchObject({
          ...{ token: refused, others: 0, home: 'written', cwd: 'written' },
          built: expect.stringContaining(`"token":"${refused}"`),
        });
      if (KIND === 'users') {
        expect(answers.map((found) => found.data)).toEqual(['EACCES', 'EACCES']);
        expect(new Set([0, ...answers.map(({ uid }) => uid)]).size, 'users').toBe(3);
      } else
        for (const found of answers) {
          expect(found.data, 'the way to its own, and nothing else').toEqual(['runtime']);
          expect(found).toMatchObject({ outside: 'EROFS', tmp: expect.stringMatching(/^[^,]*,?mine$/) });
        }
      const viewer = await evident(installation, 'tokens', 'create', '--role', 'viewer', '--name', 'vera');
      expect(viewer.code, viewer.err).toBe(0);
    },
  );

  it('ends a daemon with its service, and what a build left with the build (F117)', TIMEOUT, async () => {
    const installation = await start();
    // Another session, another group, another parent, and nothing of its environment.
    const [ofBuild, ofApp] = [`615.${process.pid}`, `616.${process.pid}`];
    const daemon = (seconds: string) => `env -i setsid sleep ${seconds} </dev/null >/dev/null 2>&1 &`;
    const dir = folder({
      'package.json': JSON.stringify({
        name: 'daemons',
        scripts: { build: `(${daemon(ofBuild)})`, start: 'node web.js' },
      }),
      'web.js': `require('node:child_process').execSync(${JSON.stringify(`(${daemon(ofApp)})`)});
        require('node:http').createServer((q, s) => s.end()).listen(process.env.PORT);`,
    });
    await evidentJson(installation, 'deploy', dir, '--service', 'web');
    expect(sleeping(ofBuild), 'left by the build').toEqual([]);
    expect(sleeping(ofApp), 'of the app').toHaveLength(1);
    const gone = await tornDown(installation);
    expect(gone).toMatchObject({ state: 'stopped', cause: null });
    expect(sleeping(ofApp)).toEqual([]);
  });

  const tornDown = (installation: Installation) =>
    evidentJson(installation, 'teardown', 'web', '--yes') as Promise<{ state: string; cause: unknown }>;
});

const sleeping = (seconds: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`sleep\0${seconds}`)
      );
    } catch {
      return false;
    }
  });

import { describe, expect, it } from 'vitest';
import { useInstallations } from './installation.ts';

const TIMEOUT = { timeout: 120_000 };

/** Tries to read what is not its own, and answers with what it got. */
const SPY = `
const fs = require('node:fs');
const tried = (what) => { try { return what(); } catch (error) { return error.code; } };
const environments = () => fs.readdirSync('/proc').filter((pid) => /^\\d+$/.test(pid) && Number(pid) !== process.pid)
  .map((pid) => tried(() => fs.readFileSync('/proc/' + pid + '/environ', 'utf8'))).filter((text) => text.includes('SECRET_OF'));
require('node:http').createServer((q, s) => s.end(JSON.stringify({
  uid: process.getuid(),
  token: tried(() => fs.readFileSync(process.env.DATA + '/admin-token', 'utf8')),
  data: tried(() => fs.readdirSync(process.env.DATA)),
  others: environments().length,
  home: tried(() => { fs.writeFileSync(process.env.HOME + '/mine', 'x'); return 'written'; }),
  cwd: tried(() => { fs.writeFileSync('mine', 'x'); return 'written'; }),
  built: fs.readFileSync('built.json', 'utf8'),
}))).listen(process.env.PORT);
`;
const BUILD = `
const fs = require('node:fs');
const tried = (what) => { try { return what(); } catch (error) { return error.code; } };
fs.writeFileSync('built.json', JSON.stringify({ uid: process.getuid(), token: tried(() => fs.readFileSync(process.env.DATA + '/admin-token', 'utf8')) }));
`;

describe.skipIf(process.getuid?.() !== 0)('apps beside the server (F127), as root', () => {
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
      for (const found of answers)
        expect(found).toMatchObject({
          ...{ token: 'EACCES', data: 'EACCES', others: 0, home: 'written', cwd: 'written' },
          built: expect.stringContaining('"token":"EACCES"'),
        });
      expect(new Set([0, ...answers.map(({ uid }) => uid)]).size, 'users').toBe(3);
      const viewer = await evident(installation, 'tokens', 'create', '--role', 'viewer', '--name', 'vera');
      expect(viewer.code, viewer.err).toBe(0);
    },
  );
});

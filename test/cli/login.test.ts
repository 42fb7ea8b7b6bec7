import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Server, useServers } from '../server/servers.ts';
import { plain, useRuns } from './runs.ts';

const servers = useServers(null, true);
const runs = useRuns(servers);
let server: Server;
let root: string;
let home: string;
let deployer: string;

beforeAll(async () => {
  server = await servers.start();
  deployer = await server.api.tokenFor('deployer', { name: 'ana' });
  root = mkdtempSync(join(tmpdir(), 'evident-login-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  home = mkdtempSync(join(root, 'home-'));
});

/** A person with a home of their own, in a folder that names no server. */
const options = () => ({
  cwd: home,
  env: { HOME: home, XDG_CONFIG_HOME: '', EVIDENT_DATA: '', EVIDENT_SERVER: '', EVIDENT_TOKEN: '' },
});
const evident = (...args: readonly string[]) => runs.done(args, options());
const withInput = async (input: string, ...args: readonly string[]) => {
  const run = runs.pipe(args, options());
  run.write(input);
  run.end();
  return { code: await run.code, out: run.out(), err: run.err() };
};
const file = () => join(home, '.config', 'evident', 'contexts.json');

describe('evident login', () => {
  it('takes a token from standard input and keeps it where only the user can read it', async () => {
    const signed = await withInput(`${deployer}\n`, 'login', server.api.address, '--name', 'lab');
    expect(signed, signed.err).toMatchObject({ code: 0 });
    expect(signed.out).toContain('as ana (deployer)');
    expect(signed.out).not.toContain(deployer);
    expect([statSync(file()).mode & 0o777, statSync(join(file(), '..')).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    expect(await evident('services', '-o', 'json')).toMatchObject({ code: 0, out: '[]\n' });
    expect((await evident('context')).out).toMatch(/\* +lab +http/);
    expect(await evident('context', 'use', 'lba')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean lab?'),
    });
    expect((await evident('context', 'remove', 'lab')).code).toBe(0);
    expect(readFileSync(file(), 'utf8')).not.toContain(deployer);
    expect((await evident('services')).code).toBe(5);
  });

  it('keeps nothing of a token that the server refuses', async () => {
    const refused = await withInput('evd_nonsense', 'login', server.api.address);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('not known') });
    expect(JSON.parse((await evident('context', '-o', 'json')).out)).toEqual([]);
    expect(await withInput('', 'login', server.api.address)).toMatchObject({ code: 2 });
  });

  it('asks on a terminal, and does not show what is typed', async () => {
    const run = runs.terminal(['login', server.api.address], options());
    await run.until('Token or sign-in link');
    run.write(`${deployer}\r`);
    expect(await run.code, plain(run.out())).toBe(0);
    expect(run.out()).not.toContain(deployer);
  });

  it('takes a sign-in link once, and evident open makes another', async () => {
    expect((await evident('login', '--data', server.data, '--name', 'here')).code).toBe(0);
    expect(readFileSync(file(), 'utf8')).not.toContain('token');
    const link = (await evident('open', '--no-browser')).out.trim();
    expect(link).toContain(`${server.api.address}/#link=`);
    const signed = await evident('login', link, '-o', 'json');
    expect(JSON.parse(signed.out)).toMatchObject({ role: 'admin', expiresAt: expect.any(String) });
    expect((await evident('services')).code).toBe(0);
    expect(await evident('login', link)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/already used.*evident open/),
    });
    const [here, linked] = JSON.parse((await evident('context', '-o', 'json')).out);
    expect([here.current, linked.current]).toEqual([false, true]);
    expect((await evident('services', '--context', 'here')).code).toBe(0);
  });
});

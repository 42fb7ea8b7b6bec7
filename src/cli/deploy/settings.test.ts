import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEvidentFile } from './evident-file.ts';
import { gitOf } from './git.ts';
import { serviceNameOf } from './service-name.ts';
import { specWith } from './settings.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-settings-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('the name of a service', () => {
  const none = { name: null, target: null };
  it.each([
    ['api@prod', none, '/x/web', 'api@prod', false],
    ['api', { name: null, target: 'lab' }, '/x/web', 'api@lab', false],
    [undefined, { name: 'shop', target: null }, '/x/web', 'shop@local', false],
    [undefined, none, '/x/web', 'web@local', false],
    [undefined, none, '/x/My Shop_2', 'my-shop-2@local', true],
    [undefined, none, '/x/Übung', 'ubung@local', true],
  ])('from %j, %j and %s is %s', (flags, file, folder, ref, noted) => {
    const named = serviceNameOf(flags, file, folder);
    expect([named.ref, named.note !== null]).toEqual([ref, noted]);
  });

  it.each([
    ['Web!', none, '/x/web', /--service/],
    [undefined, { name: '-web', target: null }, '/x/web', /evident\.yaml/],
    [undefined, none, '/', /--service/],
  ])('is refused with its origin (%#)', (flags, file, folder, why) => {
    expect(() => serviceNameOf(flags, file, folder)).toThrow(why);
  });
});

describe('the spec', () => {
  it('is the file’s, overridden by the flags', () => {
    writeFileSync(join(dir, 'evident.yaml'), 'name: web\nport: 8080\nreplicas: 2\nenv: {A: "1", B: "2"}\n');
    const { name, spec } = readEvidentFile(dir);
    expect(name).toBe('web');
    const flags = { env: ['B=x=y', 'C='], secret: ['KEY', 'PIN=12'], replicas: 3 };
    expect(specWith(spec, flags, { KEY: 'from outside' })).toEqual({
      port: 8080,
      replicas: 3,
      env: { A: '1', B: 'x=y', C: '', KEY: { secret: 'from outside' }, PIN: { secret: '12' } },
    });
  });

  it('names what is wrong with the file', () => {
    writeFileSync(join(dir, 'evident.yaml'), 'port: 99999\n');
    expect(() => readEvidentFile(dir)).toThrow(/evident\.yaml is not understood: port/);
    writeFileSync(join(dir, 'evident.yaml'), 'a: [');
    expect(() => readEvidentFile(dir)).toThrow(/cannot be read/);
  });

  it.each([
    [{ env: ['A'] }, /Write A=VALUE/],
    [{ env: ['1A=2'] }, /no name of a variable/],
    [{ secret: ['MISSING'] }, /not set in the environment/],
  ])('refuses %j', (flags, why) => {
    expect(() => specWith({}, flags, {})).toThrow(why);
  });
});

describe('git', () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      encoding: 'utf8',
    });

  it('returns the commit, and whether the folder has changed since', async () => {
    expect(await gitOf(dir)).toBeNull();
    git('init', '-q', '-b', 'main');
    expect(await gitOf(dir)).toBeNull();
    writeFileSync(join(dir, 'a'), '1');
    git('add', '.');
    git('commit', '-q', '-m', 'First\n\nbody');
    const sha = git('rev-parse', 'HEAD').trim();
    expect(await gitOf(dir)).toEqual({ sha, branch: 'main', message: 'First\n\nbody', dirty: false });
    writeFileSync(join(dir, 'b'), '1');
    git('checkout', '-q', '--detach');
    expect(await gitOf(dir)).toEqual({ sha, message: 'First\n\nbody', dirty: true });
  });
});

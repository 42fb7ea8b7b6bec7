import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SEVERAL } from '../deploying-page.ts';
import { worstOf } from '../proof/exit-code.ts';
import { chosenServices } from './chosen-services.ts';
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
    writeFileSync(join(dir, 'more.env'), '# of the staging system\nB=file\nexport D="two words" # and why\n');
    const [service] = readEvidentFile(dir).services;
    expect(service?.name).toBe('web');
    const flags = {
      env: ['B=x=y', 'C='],
      secret: ['KEY', 'PIN=12'],
      replicas: 3,
      command: 'node s.js',
      envFile: [join(dir, 'more.env')],
    };
    expect(specWith(service?.spec ?? {}, flags, { KEY: 'from outside' })).toEqual({
      command: 'node s.js',
      port: 8080,
      replicas: 3,
      env: {
        ...{ A: '1', B: 'x=y', C: '', D: 'two words' },
        ...{ KEY: { secret: 'from outside' }, PIN: { secret: '12' } },
      },
    });
  });

  it('names what is wrong with the file', () => {
    writeFileSync(join(dir, 'evident.yaml'), 'port: 99999\n');
    expect(() => readEvidentFile(dir)).toThrow(/evident\.yaml is not understood: port/);
    writeFileSync(join(dir, 'evident.yaml'), 'a: [');
    expect(() => readEvidentFile(dir)).toThrow(/cannot be read/);
  });

  it.each([
    ['replcias: 2', 'No field “replcias”. Did you mean replicas?'],
    ['health: {pth: /}', 'No field “pth” in health. Did you mean path?'],
    ['services: {api: {prot: 80}}', 'No field “prot” in services.api. Did you mean port?'],
    ['services: [{name: api, colour: 1}]', 'No field “colour” in services.0.'],
    ['servces: {}', 'Did you mean services?'],
    ['services: {}', 'names no service'],
    ['services: [{name: a}, {name: a}]', 'a twice'],
    ['root: ../other', 'must be a folder inside'],
  ])('says what is wrong with %s', (text, sentence) => {
    writeFileSync(join(dir, 'evident.yaml'), text);
    expect(() => readEvidentFile(dir)).toThrow(sentence);
  });

  it.each([
    [{ env: ['A'] }, /Write A=VALUE/],
    [{ command: 'a | b' }, /--command has shell operators/],
    [{ envFile: ['/nowhere/.env'] }, /cannot be read/],
    [{ env: ['1A=2'] }, /not a valid variable name/],
    [{ secret: ['MISSING'] }, /not set in the environment/],
  ])('refuses %j', (flags, why) => {
    expect(() => specWith({}, flags, {})).toThrow(why);
  });
});

describe('several services in one file', () => {
  const chosen = (text: string, options: Parameters<typeof chosenServices>[1] = {}) => {
    writeFileSync(join(dir, 'evident.prod.yaml'), text);
    return chosenServices(readEvidentFile(dir, join(dir, 'evident.prod.yaml')), options);
  };

  it('are all deployed, or the one that is named', () => {
    expect(chosen(SEVERAL).map(({ name, target, root }) => [name, target, root])).toEqual([
      ['api', 'local', 'services/api'],
      ['worker', 'local', 'services/api'],
      ['web', 'local', 'services/web'],
    ]);
    expect(chosen(SEVERAL, { service: 'web@edge' }).map(({ name }) => name)).toEqual(['web']);
    const listed = 'services: [{name: api, target: a}, {name: api, target: b, port: 80}]';
    expect(chosen(listed, { service: 'api@b' })).toMatchObject([{ spec: { port: 80 }, declared: ['port'] }]);
    expect(() => chosen(SEVERAL, { service: 'wbe' })).toThrow('Did you mean web?');
    expect(() => chosen(SEVERAL, { image: 'x' })).toThrow('Add --service');
  });

  it('end with the code of the worst', () => {
    expect(worstOf([0, 4, 3])).toBe(3);
    expect(worstOf([0, 1, 3])).toBe(1);
    expect(worstOf([1, 2])).toBe(2);
    expect(worstOf([])).toBe(0);
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
    const commit = { sha, message: 'First\n\nbody', author: 'a' };
    expect(await gitOf(dir)).toEqual({ ...commit, branch: 'main', dirty: false });
    writeFileSync(join(dir, 'b'), '1');
    git('checkout', '-q', '--detach');
    expect(await gitOf(dir)).toEqual({ ...commit, dirty: true });
  });

  it('names the page of a commit that a remote has, and of no other', async () => {
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'First');
    git('remote', 'add', 'origin', 'git@github.com:larkfield/shop.git');
    expect(await gitOf(dir), 'it was never pushed').not.toHaveProperty('url');
    const sha = git('rev-parse', 'HEAD').trim();
    git('update-ref', 'refs/remotes/origin/main', sha);
    expect(await gitOf(dir)).toMatchObject({ url: `https://github.com/larkfield/shop/commit/${sha}` });
    git('commit', '-q', '--allow-empty', '-m', 'Second');
    expect(await gitOf(dir), 'the next one is not there yet').not.toHaveProperty('url');
  });
});

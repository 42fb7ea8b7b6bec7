import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contextsFile } from './contexts/saved-contexts.ts';
import type { CliSurroundings } from './data-place.ts';
import { type ConnectionOptions, findConnection } from './find-connection.ts';

const OWN = 'http://127.0.0.1:7717';
const OTHER = 'http://stranger.example:7717';
const uid = process.getuid?.() ?? 0;
let root: string;
let home: string;
let clone: string;

/** A data directory as a server writes it. */
function dataDirectory(parent: string, files: { readonly api?: string; readonly token?: string }): string {
  const dir = join(parent, '.evident');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (files.api !== undefined)
    writeFileSync(join(dir, 'server.json'), JSON.stringify({ api: files.api, pid: 1 }), { mode: 0o600 });
  if (files.token !== undefined) writeFileSync(join(dir, 'admin-token'), `${files.token}\n`, { mode: 0o600 });
  return dir;
}

const found = (options: ConnectionOptions = {}, env: CliSurroundings['env'] = {}, as = uid) =>
  findConnection(options, { env, cwd: join(clone, 'deep'), home, uid: as });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'evident-connection-'));
  home = join(root, 'home');
  clone = join(root, 'clone');
  mkdirSync(join(clone, 'deep'), { recursive: true });
  dataDirectory(home, { api: OWN, token: 'of-home' });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('server and token come from one place (F126)', () => {
  it('both flags, else both variables, else one data directory', () => {
    const variables = { EVIDENT_SERVER: OTHER, EVIDENT_TOKEN: 'of-variables' };
    expect(found({ server: `${OWN}/`, token: 'of-flags' }, variables)).toEqual({
      server: OWN,
      token: 'of-flags',
      place: OWN,
    });
    expect(found({}, variables)).toMatchObject({ server: OTHER, token: 'of-variables' });
    expect(found()).toEqual({ server: OWN, token: 'of-home', place: join(home, '.evident') });
    const near = dataDirectory(clone, { api: 'http://127.0.0.1:9', token: 'of-clone' });
    expect(found()).toEqual({ server: 'http://127.0.0.1:9', token: 'of-clone', place: near });
    expect(found({}, { EVIDENT_DATA: join(home, '.evident') })).toMatchObject({ token: 'of-home' });
  });

  it('a line end at the end of a variable is no part of it, as in a Secret that a pipe made', () => {
    expect(found({}, { EVIDENT_SERVER: `${OTHER}\n`, EVIDENT_TOKEN: 'of-variables\n' })).toEqual({
      server: OTHER,
      token: 'of-variables',
      place: OTHER,
    });
    expect(() => found({}, { EVIDENT_SERVER: OTHER, EVIDENT_TOKEN: 'evd_1\n(agent prod)' })).toThrow(
      'is none',
    );
  });

  it('a folder that names a server gets no token of another place', () => {
    dataDirectory(clone, { api: OTHER });
    expect(found()).toMatchObject({
      server: OTHER,
      token: null,
      missing: expect.stringContaining('--token'),
    });
    expect(() => found({}, { EVIDENT_TOKEN: 'of-variables' })).toThrow('EVIDENT_SERVER');
    expect(() => found({ token: 'of-flags' })).toThrow('--server');
    expect(() => found({ token: 'of-flags' }, { EVIDENT_SERVER: OTHER })).toThrow('--server');
  });

  it('a server that is named alone gets the token that was made for it, and no other', () => {
    expect(found({ server: OWN })).toMatchObject({ server: OWN, token: 'of-home' });
    expect(found({}, { EVIDENT_SERVER: OWN })).toMatchObject({ token: 'of-home' });
    expect(found({ server: OTHER })).toMatchObject({ server: OTHER, token: null });
    expect(found({}, { EVIDENT_SERVER: OTHER })).toMatchObject({ server: OTHER, token: null });
    const variables = { EVIDENT_SERVER: OWN, EVIDENT_TOKEN: 'of-variables' };
    expect(found({ server: OTHER }, variables)).toMatchObject({ server: OTHER, token: null });
    expect(found({ server: OWN }, variables)).toMatchObject({ token: 'of-variables' });
    expect(found({ server: OTHER }, { EVIDENT_TOKEN: 'of-variables' })).toMatchObject({ token: null });
  });

  it('a token that others can read came with the folder, and is not used', () => {
    const dir = dataDirectory(clone, { api: OTHER, token: 'of-clone' });
    chmodSync(join(dir, 'admin-token'), 0o644);
    expect(found()).toMatchObject({ token: null, missing: expect.stringContaining('chmod 600') });
  });

  it('a server that does not run is named, and none further up takes its place', () => {
    dataDirectory(clone, { token: 'of-clone' });
    expect(() => found()).toThrow(/No server runs on .*clone/);
  });

  it.each(['not json', '{}', '{"api":"file:///etc/passwd"}'])(
    'an address file with %s is refused',
    (text) => {
      const dir = dataDirectory(clone, { token: 'of-clone' });
      writeFileSync(join(dir, 'server.json'), text, { mode: 0o600 });
      expect(() => found()).toThrow('names no server');
    },
  );
});

describe('a context holds a server and the token for it (F126)', () => {
  const save = (saved: object, mode = 0o600) => {
    const file = contextsFile({ env: {}, home });
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify(saved), { mode });
    chmodSync(file, mode);
    return file;
  };
  const inContext = (name: string, options: ConnectionOptions = {}) =>
    findConnection(options, { env: {}, cwd: clone, home, uid }, name);
  const prod = { server: OTHER, token: 'of-prod' };

  it('the current one goes before a folder, and after flags and variables', () => {
    dataDirectory(clone, { api: OWN, token: 'of-clone' });
    save({ current: 'prod', contexts: { prod, here: { data: join(home, '.evident') } } });
    expect(found()).toMatchObject({ server: OTHER, token: 'of-prod' });
    expect(inContext('here')).toMatchObject({ server: OWN, token: 'of-home' });
    expect(found({}, { EVIDENT_CONTEXT: 'here' })).toMatchObject({ server: OWN, token: 'of-home' });
    expect(found({}, { EVIDENT_DATA: join(clone, '.evident') })).toMatchObject({ token: 'of-clone' });
    expect(found({}, { EVIDENT_SERVER: OWN, EVIDENT_TOKEN: 'of-variables' })).toMatchObject({
      token: 'of-variables',
    });
    expect(() => inContext('pord')).toThrow('Did you mean prod?');
    expect(() => inContext('prod', { server: OWN })).toThrow('Leave out --server');
  });

  it('its token goes to its own server and to no other', () => {
    save({ current: 'prod', contexts: { prod } });
    expect(found({ server: `${OTHER}/` })).toMatchObject({ server: OTHER, token: 'of-prod' });
    expect(found({ server: 'http://third.example' })).toMatchObject({ token: null });
    save({ current: null, contexts: { prod } });
    expect(found()).toMatchObject({ server: OWN, token: 'of-home' });
  });

  it('is not read from a file that others may read, nor from a folder that they may write', () => {
    const file = save({ current: 'prod', contexts: { prod } }, 0o644);
    expect(() => found()).toThrow('chmod 600');
    chmodSync(file, 0o600);
    chmodSync(dirname(file), 0o770);
    expect(() => found()).toThrow('chmod go-w');
  });
});

describe('nothing is read from a folder that somebody else could have written (F126)', () => {
  it.each([0o770, 0o702])('a folder with mode %o, also behind a link', (mode) => {
    const dir = dataDirectory(join(root, 'shared'), { api: OTHER, token: 'of-shared' });
    symlinkSync(dir, join(clone, '.evident'));
    expect(found()).toMatchObject({ token: 'of-shared' });
    chmodSync(dir, mode);
    expect(() => found()).toThrow('chmod go-w');
    expect(() => found({}, { EVIDENT_DATA: dir })).toThrow('chmod go-w');
  });

  it.each(['server.json', 'admin-token'])('%s that is a link to the user’s own file', (file) => {
    const dir = dataDirectory(clone, { api: OTHER, token: 'of-clone' });
    rmSync(join(dir, file));
    symlinkSync(join(home, '.evident', file), join(dir, file));
    try {
      expect(found()).toMatchObject({ token: null, missing: expect.stringContaining('is a link') });
    } catch (error) {
      expect(String(error)).toContain('is a link');
    }
  });

  it.each(['server.json', 'admin-token'])('%s that others may write', (file) => {
    const dir = dataDirectory(clone, { api: OTHER, token: 'of-clone' });
    chmodSync(join(dir, file), 0o622);
    try {
      expect(found()).toMatchObject({ token: null, missing: expect.stringContaining('chmod go-w') });
    } catch (error) {
      expect(String(error)).toContain('chmod go-w');
    }
  });

  it('a folder of another user is passed over, and refused where it is named', () => {
    const dir = dataDirectory(clone, { api: OTHER, token: 'of-clone' });
    const asStranger = () => found({}, {}, uid + 1);
    expect(asStranger).toThrow('No server runs');
    expect(() => found({}, { EVIDENT_DATA: dir }, uid + 1)).toThrow('belongs to another user');
  });

  it.runIf(uid === 0)('a folder of another user between two of our own', () => {
    const dir = dataDirectory(clone, { api: OTHER, token: 'of-clone' });
    chownSync(dir, 12_345, 12_345);
    expect(found()).toMatchObject({ server: OWN, token: 'of-home' });
    chownSync(dir, 0, 0);
    chownSync(join(dir, 'server.json'), 12_345, 12_345);
    expect(() => found()).toThrow('belongs to another user');
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAccess } from './access.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'access-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const config = (name: string, user: string, cluster = '') => `
apiVersion: v1
kind: Config
clusters: [{name: ${name}, cluster: {server: "https://${name}.example:6443"${cluster}}}]
users: [{name: ${name}, user: ${user}}]
contexts: [{name: ${name}, context: {cluster: ${name}, user: ${name}, namespace: ${name}-ns}}]
current-context: ${name}
`;

it('takes context, namespace and token from a kubeconfig', async () => {
  const access = await openAccess({ kubeconfig: file('plain', config('a', '{token: secret}')) });
  expect(access).toMatchObject({ context: 'a', namespace: 'a-ns' });
  expect(access.server.href).toBe('https://a.example:6443/');
  const { headers } = await access.credentials({ renewed: false });
  expect(headers).toEqual({ authorization: 'Bearer secret' });
});

it('lets the first file of KUBECONFIG win, and passes over one that is missing', async () => {
  const first = file('first', config('a', '{token: one}'));
  const second = file('second', config('a', '{token: two}') + config('b', '{}').replaceAll(/^/gm, '# '));
  const third = file('third', config('b', '{token: three}'));
  const environment = { KUBECONFIG: [join(folder, 'missing'), first, second, third].join(':') };
  const access = await openAccess({ environment });
  expect(access.context).toBe('a');
  expect((await access.credentials({ renewed: false })).headers.authorization).toBe('Bearer one');
  const other = await openAccess({ environment, context: 'b' });
  expect((await other.credentials({ renewed: false })).headers.authorization).toBe('Bearer three');
});

it('reads a token file beside the kubeconfig, and again once it rotates', async () => {
  file('token', 'first\n');
  const access = await openAccess({
    kubeconfig: file('rotating', config('a', '{tokenFile: token, token: x}')),
  });
  expect((await access.credentials({ renewed: false })).headers.authorization).toBe('Bearer first');
  file('token', 'second\n');
  expect((await access.credentials({ renewed: true })).headers.authorization).toBe('Bearer second');
});

it('runs an exec plugin, and says what it said when it fails', async () => {
  const credential =
    '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t"}}';
  const exec = (script: string) =>
    `{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, args: [-c, ${JSON.stringify(script)}]}}`;
  const works = await openAccess({ kubeconfig: file('exec', config('a', exec(`echo '${credential}'`))) });
  expect((await works.credentials({ renewed: false })).headers.authorization).toBe('Bearer t');
  const fails = await openAccess({
    kubeconfig: file('bad', config('a', exec('echo sign in first >&2; exit 1'))),
  });
  await expect(fails.credentials({ renewed: false })).rejects.toThrow('sign in first');
});

it('keeps the authority of a cluster without a user', async () => {
  const ca = Buffer.from('authority').toString('base64');
  const text = config('a', '{}', `, certificate-authority-data: ${ca}`).replace(', user: a,', ',');
  const access = await openAccess({ kubeconfig: file('userless', text) });
  expect(String((await access.credentials({ renewed: false })).tls.ca)).toBe('authority');
});

it.each([
  ['no file', { environment: { HOME: '/nowhere' } }, 'No kubeconfig'],
  ['a file that is missing', { kubeconfig: '/nowhere/config' }, 'No kubeconfig at /nowhere/config'],
])('refuses %s', async (_, options, message) => {
  await expect(openAccess(options)).rejects.toThrow(message);
});

it('names the contexts there are when the one asked for is not among them', async () => {
  const kubeconfig = file('contexts', config('a', '{}'));
  await expect(openAccess({ kubeconfig, context: 'b' })).rejects.toThrow(
    'no context “b” with a cluster. It has a.',
  );
});

it('refuses what is no kubeconfig', async () => {
  await expect(openAccess({ kubeconfig: file('nonsense', ': : :') })).rejects.toThrow('is not a kubeconfig');
});

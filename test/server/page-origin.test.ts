import { get } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { useServers } from './servers.ts';

describe('the page and its session (F127)', () => {
  const servers = useServers(null, true);
  let api: Api;
  let port: string;
  beforeAll(async () => {
    ({ api } = await servers.start());
    ({ port } = new URL(api.address));
  }, 60_000);

  const fetched = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; location: string | undefined }>((done, fail) => {
      get(`${api.address}${path}`, { headers }, (answer) => {
        answer.resume();
        done({ status: answer.statusCode ?? 0, location: answer.headers.location });
      }).on('error', fail);
    });

  it('is served at localhost alone, which no app has in a browser', async () => {
    const html = { accept: 'text/html' };
    for (const path of ['/', '/?a=b', '/services/web@local?at=1', '//evil.example/'])
      expect(await fetched(path, html)).toEqual({ status: 307, location: `http://localhost:${port}${path}` });
    for (const host of [`localhost:${port}`, 'evident.example'])
      expect((await fetched('/', { ...html, host })).status).toBe(200);
    expect((await fetched('/', { ...html, host: `[::1]:${port}` })).location).toBe(
      `http://localhost:${port}/`,
    );
    expect((await fetch(`http://localhost:${port}/healthz`)).status).toBe(200);
  });

  it('sends no call of the API elsewhere', async () => {
    expect((await fetched('/v1/services', { authorization: `Bearer ${api.token}` })).status).toBe(200);
    expect((await fetched('/v1/services', { accept: 'text/html' })).status).toBe(401);
    for (const path of ['/healthz', '/openapi.json', '/docs']) expect((await fetched(path)).status).toBe(200);
  });

  const signedIn = async (headers: Record<string, string> = {}) => {
    const answer = await api.call('POST', '/v1/sessions', {
      token: null,
      body: { token: api.token },
      headers,
    });
    expect(answer.status).toBe(201);
    return { set: answer.headers.get('set-cookie') ?? '', id: answer.body.session as string };
  };
  const who = (cookie: string, headers: Record<string, string> = {}) =>
    api.get('/v1/sessions', { token: null, headers: { cookie, ...headers } });

  it('has a name that no other origin can set, wherever TLS is', async () => {
    for (const tls of [{ 'x-forwarded-proto': 'https' }, { origin: `https://127.0.0.1:${port}` }]) {
      const { set, id } = await signedIn(tls);
      expect(set).toMatch(/^__Host-evident_session=[^;]+; Path=\/; HttpOnly; SameSite=Strict; .*; Secure$/);
      const cookie = set.split(';')[0] ?? '';
      expect((await who(cookie)).body).toMatchObject({ role: 'admin', session: id });
      const planted = `${cookie}; evident_session=planted`;
      expect((await who(planted)).body, 'an app cannot put another in its place').toMatchObject({
        session: id,
      });
    }
    const { set } = await signedIn();
    expect(set).toMatch(/^evident_session=/);
    expect(set).not.toMatch(/Secure/);
    expect((await who(set.split(';')[0] ?? '', { 'x-forwarded-proto': 'https' })).status).toBe(401);
  });

  it('is not believed where two are sent, and is named for the page to compare', async () => {
    const [one, two] = [await signedIn(), await signedIn()].map(({ set }) => set.split(';')[0] ?? '');
    expect((await who(`${one}; ${two}`)).status).toBe(401);
    expect((await who(`${one}; ${one}`)).status).toBe(200);
    expect((await api.get('/v1/sessions')).body).toMatchObject({ role: 'admin', session: null });
  });
});

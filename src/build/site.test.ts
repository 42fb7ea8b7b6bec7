import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { builtRoot, keepOnlySite, servedSite } from './site.ts';

let dir: string;
let port: number;
let child: ChildProcess;

/** Uses Node's own client, which sends a path unchanged: fetch would normalise it. */
function read(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: IncomingMessage['headers']; body: string }>((done, fail) => {
    const outgoing = request({ port, path, headers, method, host: '127.0.0.1' }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    outgoing.on('error', fail).end();
  });
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'evident-site-'));
  mkdirSync(join(dir, 'site/blog'), { recursive: true });
  mkdirSync(join(dir, 'site/.git'));
  const files = {
    'site/index.html': '<h1>hello</h1>',
    'site/app-4f3a9c1b.js': 'x',
    'site/photo-20240101.jpg': 'x',
    'site/about.html': 'about',
    'site/blog/index.html': 'blog',
    'site/404.html': 'lost',
    'site/.env': 'secret',
    'site/.git/config': 'secret',
    'outside.txt': 'secret',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  symlinkSync('../outside.txt', join(dir, 'site/link.txt'));
  const command = await servedSite(dir, 'site');
  const free = createServer().listen(0);
  port = (free.address() as AddressInfo).port;
  free.close();
  await once(free, 'close');
  // The artifact's own text, run by a bare Node.
  child = spawn(process.execPath, command.slice(1), {
    cwd: dir,
    env: { PORT: String(port) },
    stdio: 'inherit',
  });
  for (;;) {
    const answers = await new Promise<boolean>((done) =>
      get({ port, host: '127.0.0.1' }, (response) => done(response.resume() !== null)).on('error', () =>
        done(false),
      ),
    );
    if (answers) break;
  }
});
afterAll(() => {
  child.kill('SIGKILL');
  rmSync(dir, { recursive: true });
});

describe('the server of a built site', () => {
  it('sends types, lengths and tags, and a 304 while a file is unchanged', async () => {
    const page = await read('/');
    expect(page).toMatchObject({ status: 200, body: '<h1>hello</h1>' });
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': '14',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    });
    const etag = page.headers.etag ?? '';
    expect(await read('/', { 'if-none-match': `"other", W/${etag}` })).toMatchObject({
      status: 304,
      body: '',
    });
    expect(await read('/', { 'if-none-match': '"other"' })).toMatchObject({ status: 200 });
    expect(await read('/index.html', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
  });

  it('lets only files with a hash in their name be cached for ever', async () => {
    expect((await read('/app-4f3a9c1b.js')).headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect((await read('/photo-20240101.jpg')).headers['cache-control']).toBe('no-cache');
  });

  it('finds the page of a folder, and a page without its ending', async () => {
    expect(await read('/blog/')).toMatchObject({ status: 200, body: 'blog' });
    expect(await read('/blog?a=1')).toMatchObject({ status: 301, headers: { location: '/blog/?a=1' } });
    expect((await read('//blog')).headers.location).toBe('/blog/');
    expect(await read('/about')).toMatchObject({ status: 200, body: 'about' });
  });

  test.each([
    '/nothing',
    '/../outside.txt',
    '/%2e%2e/outside.txt',
    '/..%2foutside.txt',
    '/..%5coutside.txt',
    '/link.txt',
    '/.env',
    '/.git/config',
    '/%00',
    '/%',
    '/index.html/x',
  ])('has its own page for %s', async (path) => {
    expect(await read(path)).toMatchObject({ status: 404, body: 'lost' });
  });

  it('refuses every method but reads', async () => {
    expect(await read('/', {}, 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  it('ends on SIGTERM', async () => {
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
  });
});

it('serves the folder in which the build left a page', () => {
  expect(builtRoot(dir, ['dist', 'site'])).toBe('site');
  expect(() => builtRoot(dir, ['dist', 'out'])).toThrow('dist, out');
});

describe('the artifact of a built site', () => {
  const built = (files: readonly string[]) => {
    const at = mkdtempSync(join(dir, 'built-'));
    for (const file of files) {
      mkdirSync(join(at, file, '..'), { recursive: true });
      writeFileSync(join(at, file), 'x');
    }
    return at;
  };
  const left = (at: string) => readdirSync(at, { recursive: true }).map(String).sort();

  it('holds what is served, and neither sources nor modules', async () => {
    const at = built([
      ...['package.json', 'node_modules/vite/x.js', '.evident/old', 'packages/lib/a.js'],
      ...['packages/web/src/a.ts', 'packages/web/dist/index.html', 'packages/web/dist/assets/a.js'],
    ]);
    expect(await keepOnlySite(at, 'packages/web/dist')).toBe(true);
    const site = 'packages/web/dist';
    expect(left(at)).toEqual([
      ...['packages', 'packages/web', site, `${site}/assets`, `${site}/assets/a.js`, `${site}/index.html`],
    ]);
  });

  it('is whole where the site has links, which may lead beside it', async () => {
    const at = built(['dist/index.html', 'assets/a.js']);
    symlinkSync('../assets', join(at, 'dist/assets'));
    expect(await keepOnlySite(at, 'dist')).toBe(false);
    expect(left(at)).toContain('assets/a.js');
    symlinkSync('dist', join(at, 'out'));
    expect(await keepOnlySite(at, 'out')).toBe(false);
  });
});

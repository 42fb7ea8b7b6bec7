import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Certificates } from '../../src/runtime/router/certificates.ts';
import { certificateAt } from '../../src/runtime/router/proof.ts';
import { Router } from '../../src/runtime/router/router.ts';
import { OVER_CERTIFICATE, WEB_CERTIFICATE, WILD_CERTIFICATE } from './certificates.ts';

let dir = '';
let written = 0;
const closing: (() => unknown)[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-https-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(dir, { recursive: true, force: true });
});

/** Each writing has a time of its own, however fast the next one comes. */
function put(name: string, { cert, key }: { cert: string; key: string }): void {
  written += 1;
  for (const [ending, text] of [
    ['crt', cert],
    ['key', key],
  ] as const) {
    writeFileSync(join(dir, `${name}.${ending}`), text);
    utimesSync(join(dir, `${name}.${ending}`), written, written);
  }
}

const pair = (name: string) => ({ cert: join(dir, `${name}.crt`), key: join(dir, `${name}.key`) });

describe('certificates from files', () => {
  it('are read from a folder of pairs, in both layouts', () => {
    put('web', WEB_CERTIFICATE);
    writeFileSync(join(dir, 'alone.crt'), WEB_CERTIFICATE.cert);
    mkdirSync(join(dir, 'wild'));
    writeFileSync(join(dir, 'wild', 'fullchain.pem'), WILD_CERTIFICATE.cert);
    writeFileSync(join(dir, 'wild', 'privkey.pem'), WILD_CERTIFICATE.key);
    const read = Certificates.open({ cert: dir, key: null }, () => {});
    expect(read.names).toEqual(['web.localhost', 'shop.example.com', '*.example.org']);
    expect(read.contextFor('x.example.org')).not.toBe(read.contextFor('web.localhost'));
    expect(read.contextFor('of-nobody.example'), 'the first').toBe(read.contextFor('web.localhost'));
  });

  it('are refused with a sentence where none can be used', () => {
    expect(() => Certificates.open({ cert: dir, key: null }, () => {})).toThrow(/holds no certificate/);
    put('web', { ...WEB_CERTIFICATE, key: WILD_CERTIFICATE.key });
    expect(() => Certificates.open(pair('web'), () => {})).toThrow(/not that of the certificate/);
    expect(() => Certificates.open(pair('none'), () => {})).toThrow(/none\.crt and .* cannot be used/);
  });

  it('are read again when their files change; a broken one leaves the former in use, and is said once', () => {
    put('web', WEB_CERTIFICATE);
    const lines: string[] = [];
    const read = Certificates.open(pair('web'), (line) => lines.push(line));
    const before = read.contextFor('web.localhost');
    put('web', { cert: 'broken', key: WEB_CERTIFICATE.key });
    read.readAgain();
    read.readAgain();
    expect([lines.length, read.contextFor('web.localhost') === before]).toEqual([1, true]);
    expect(lines[0]).toContain('The former one stays in use.');
    put('web', WILD_CERTIFICATE);
    read.readAgain();
    expect([read.names, lines.at(-1)]).toEqual([['*.example.org'], expect.stringContaining('in use')]);
  });

  it('end soon in their last two weeks, or in the last third of a short life', () => {
    const [from, to] = ['2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'];
    const at = (now: string, until = to) => certificateAt(Date.parse(now), from, until).ends;
    expect([at('2026-03-17T00:00:00Z'), at('2026-03-19T00:00:00Z'), at(to)]).toEqual([null, 'soon', 'over']);
    const short = '2026-01-07T00:00:00Z';
    expect([at('2026-01-04T00:00:00Z', short), at('2026-01-05T01:00:00Z', short)]).toEqual([null, 'soon']);
  });
});

describe('https at the router', () => {
  async function started(certificate: { cert: string; key: string }) {
    put('web', certificate);
    const app = createServer((req, res) => res.end(JSON.stringify(req.headers))).listen(0, '127.0.0.1');
    await once(app, 'listening');
    closing.push(() => app.close());
    const router = new Router({ host: '127.0.0.1', port: 0 });
    closing.push(() => router.close(0));
    await router.listen();
    await router.listenTls({ cert: dir, key: null, port: 0 }, () => {});
    const endpoints = [{ uid: 'a', address: '127.0.0.1', port: (app.address() as AddressInfo).port }];
    const stamp = { revision: 1, attempt: 1 };
    router.set({ service: 'web@lab', hosts: ['web.localhost'], stamp, endpoints, isStopped: false });
    return router;
  }

  const prove = (router: Router) =>
    router.prove(
      {
        service: 'web@lab',
        hosts: ['web.localhost'],
        path: null,
        isHttp: true,
        isWhole: true,
        timeoutMs: 10_000,
      },
      new AbortController().signal,
    );

  it('forwards as any request, says so to the app, and is proven with the certificate that it shows', async () => {
    const router = await started(WEB_CERTIFICATE);
    expect(router.https?.names).toContain('web.localhost');
    const answer = await new Promise<{ body: string; subject: string }>((done, fail) => {
      const options = { host: '127.0.0.1', port: router.https?.port, servername: 'web.localhost' };
      const headers = { host: 'web.localhost', 'x-forwarded-proto': 'gopher' };
      request({ ...options, headers, rejectUnauthorized: false, agent: false }, (res) => {
        const subject = String((res.socket as TLSSocket).getPeerCertificate().subject.CN);
        let body = '';
        res.setEncoding('utf8').on('data', (text) => {
          body += text;
        });
        res.on('end', () => done({ body, subject }));
      })
        .on('error', fail)
        .end();
    });
    expect(answer.subject).toBe('a');
    expect(JSON.parse(answer.body)).toMatchObject({
      'x-forwarded-proto': 'https',
      'x-forwarded-port': String(router.https?.port),
    });
    expect(await prove(router)).toMatchObject({
      kind: 'answered',
      certificate: { ends: null, notAfter: expect.stringMatching(/^21/) },
    });
  });

  it('is not proven good with a certificate that is over, and goes without one for other names', async () => {
    expect(await prove(await started(OVER_CERTIFICATE))).toMatchObject({ certificate: { ends: 'over' } });
    const other = await prove(await started(WILD_CERTIFICATE));
    expect(other).toEqual({ kind: 'answered', stamp: { revision: 1, attempt: 1 } });
  });
});

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { getArtifact, putArtifact, WrongBytes } from './artifacts.ts';
import { Client } from './client.ts';
import { type AcquiredLease, LeaseKeeper } from './lease.ts';
import { LogShipper } from './log-shipper.ts';
import { evidence, Outbox } from './outbox.ts';
import { backOffMs, OutageLog, persist } from './persist.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A socket that delays answers or cuts them off, as a network does. */
let server: Server | undefined;
const forever = new AbortController().signal;

async function answering(handle: Handler): Promise<Client> {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => handle(request, response, body));
  });
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  return new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
}
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const json = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const lease = (ttlMs: number): AcquiredLease => ({
  id: 'web@lab.r1.a1.build.1.1',
  command: 'web@lab.r1.a1.build.1',
  kind: 'build',
  service: 'web@lab',
  revision: 1,
  attempt: 1,
  fence: '1',
  ttlMs,
  input: {},
});
const ended = (signal: AbortSignal) =>
  new Promise<number>((done) =>
    signal.addEventListener('abort', () => done(performance.now()), { once: true }),
  );

describe('a lease that is held', () => {
  /** The test controls answers and time, so that only clocks are tried here. */
  describe('by its own clock', () => {
    type Answer = (beat: object) => void;
    let unanswered: Answer[];
    const silent = {
      call: () =>
        new Promise((answer) => {
          unanswered.push(answer);
        }),
    } as unknown as Client;
    const beat = { ttlMs: 40_000, cancelRequested: false, superseded: false };

    beforeEach(() => {
      unanswered = [];
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    async function taken() {
      const taking = LeaseKeeper.take(silent, lease(40_000));
      unanswered.shift()?.(beat);
      return (await taking) as LeaseKeeper;
    }

    it('ends before the server’s, when answers stay out (F32)', async () => {
      const held = await taken();
      await vi.advanceTimersByTimeAsync(37_999);
      expect(held.isOurs).toBe(true);
      await vi.advanceTimersByTimeAsync(1);
      expect([held.why, held.isOurs, held.speak.aborted]).toEqual(['lapsed', false, true]);
    });

    it('counts from the sending of the heartbeat, however late its answer is (F33)', async () => {
      const held = await taken();
      await vi.advanceTimersByTimeAsync(500);
      await vi.advanceTimersByTimeAsync(19_000);
      unanswered.shift()?.(beat);
      await vi.advanceTimersByTimeAsync(18_999);
      expect(held.isOurs).toBe(true);
      await vi.advanceTimersByTimeAsync(1);
      expect([held.why, held.isOurs]).toEqual(['lapsed', false]);
    });
  });

  it('stops for a cancel and may still submit; for a lost lease it may not', async () => {
    let beats = 0;
    let lost = false;
    const client = await answering((_, response) => {
      beats += 1;
      if (lost) json(response, 409, { code: 'lease_lost', status: 409, title: 'ended', detail: '' });
      else json(response, 200, { ttlMs: 4_000, cancelRequested: beats > 1, superseded: false });
    });
    const held = await LeaseKeeper.take(client, lease(4_000));
    await ended(held?.work as AbortSignal);
    expect([held?.why, held?.speak.aborted]).toEqual(['cancel_requested', false]);
    held?.close();

    beats = 0;
    const another = await LeaseKeeper.take(client, lease(4_000));
    lost = true;
    await ended(another?.work as AbortSignal);
    expect([another?.why, another?.speak.aborted]).toEqual(['lost', true]);
    expect(await LeaseKeeper.take(client, lease(4_000))).toBeNull();
  });
});

describe('repeated sending', () => {
  it('evidence is sent in order, and under the same ids until it is answered (F11)', async () => {
    const calls: string[][] = [];
    const client = await answering((request, response, body) => {
      const ids = (JSON.parse(body) as { items: { id: string }[] }).items.map(({ id }) => id);
      calls.push(ids);
      if (calls.length === 1) request.socket.destroy();
      else if (calls.length === 2)
        json(response, 503, { code: 'outcome_unknown', status: 503, title: '', detail: '' });
      else json(response, 200, { results: ids.map((id) => ({ id, verdict: 'admitted', position: '1' })) });
    });
    const logged: string[] = [];
    const outbox = new Outbox(client, forever, new OutageLog((line) => logged.push(line)));
    const items = [1, 2, 3].map((step) => evidence(lease(1), 'build.progress', { step }));
    const verdicts = await Promise.all(items.map((item) => outbox.send(item)));
    expect(verdicts.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
    expect(calls[0]).toEqual(calls[2]);
    expect(calls[1]).toEqual(calls[2]);
    expect(logged).toHaveLength(2);
  });

  it('ends with the reason of its signal, and at once with a refusal', async () => {
    const client = await answering((_, response) =>
      json(response, 403, { code: 'forbidden', status: 403, title: 'no', detail: '' }),
    );
    const outbox = new Outbox(client, forever);
    await expect(outbox.send(evidence(lease(1), 'build.progress', { step: 1 }))).rejects.toMatchObject({
      code: 'forbidden',
    });
    const stop = new AbortController();
    const nobody = new Client('http://127.0.0.1:9', 'token');
    const waiting = new Outbox(nobody, stop.signal).send(evidence(lease(1), 'build.progress', { step: 1 }));
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('lines are numbered, in order, bounded in memory, and repeated with the same numbers', async () => {
    const seqs: number[] = [];
    let calls = 0;
    const client = await answering((request, response, body) => {
      expect(body.length).toBeLessThan(1024 * 1024);
      if (calls++ === 0) return request.socket.destroy();
      seqs.push(...(JSON.parse(body) as { items: { seq: number }[] }).items.map(({ seq }) => seq));
      json(response, 200, { accepted: 1 });
    });
    const source = { service: 'web@lab', revision: 1, attempt: 1, stream: 'build' } as const;
    const shipper = new LogShipper(client, source, { signal: forever });
    let lines = 0;
    while (shipper.push('"'.repeat(20_000))) lines += 1;
    expect(lines).toBeLessThan(100);
    await shipper.room();
    expect(shipper.push('after')).toBe(true);
    await shipper.flush();
    expect(seqs).toEqual(Array.from({ length: lines + 2 }, (_, at) => at + 1));
  });

  it('bytes are put until they are stored, and read only if they match their digest (F99)', async () => {
    let puts = 0;
    const client = await answering((request, response, body) => {
      if (request.method === 'GET') response.end('something else');
      else if (puts++ === 0) request.socket.destroy();
      else json(response, body === 'bytes' ? 201 : 422, { code: 'x', status: 422 });
    });
    await putArtifact(
      client,
      `sha256:${'a'.repeat(64)}`,
      async function* () {
        yield Buffer.from('bytes');
      },
      { signal: forever },
    );
    expect(puts).toBe(2);
    await expect(async () => {
      for await (const _ of getArtifact(client, `sha256:${'a'.repeat(64)}`, forever));
    }).rejects.toThrow(WrongBytes);
  });

  it('a refusal that comes before all bytes are sent is received, and not repeated', async () => {
    let requests = 0;
    server = createServer((request, response) => {
      requests += 1;
      // Answers before the body is complete and reads no further, as a server does that refuses the size.
      request.once('data', () => {
        request.pause();
        response.writeHead(413, { 'content-type': 'application/problem+json', connection: 'close' });
        response.end(JSON.stringify({ code: 'too_large', status: 413, title: 'too large', detail: '' }));
      });
    });
    await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
    const client = new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
    const put = putArtifact(
      client,
      `sha256:${'a'.repeat(64)}`,
      async function* () {
        for (let n = 0; n < 500; n++) yield Buffer.alloc(64 * 1024);
      },
      { signal: AbortSignal.timeout(5_000) },
    );
    await expect(put).rejects.toMatchObject({ code: 'too_large' });
    expect(requests).toBe(1);
  });

  it('sends a request again that a busy server did not receive in time', async () => {
    let requests = 0;
    const client = await answering((_request, response) => {
      requests += 1;
      if (requests > 1) return void json(response, 200, { ok: true });
      json(response, 408, { code: 'invalid_request', status: 408, title: 'late', detail: 'It came late.' });
    });
    await expect(
      persist((signal) => client.call('GET', '/', undefined, { signal }), forever),
    ).resolves.toEqual({ ok: true });
    expect(requests).toBe(2);
  });

  it('waits longer each time, at random, up to a bound (L5)', async () => {
    expect([0, 1, 2, 20].map((tries) => backOffMs(tries, () => 0))).toEqual([100, 200, 400, 2500]);
    expect(backOffMs(20, () => 1)).toBe(5000);
    await expect(persist(() => Promise.reject(new Error('a defect')), forever)).rejects.toThrow('a defect');
  });
});

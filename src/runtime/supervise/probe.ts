import { request } from 'node:http';
import { connect } from 'node:net';

export interface ProbeOptions {
  readonly port: number;
  readonly path: string | null;
  readonly timeoutMs: number;
}

export type ProbeResult =
  /** Where it answered: an app that listens on `localhost` may be found on IPv6 only. */
  | { readonly kind: 'ready'; readonly address: string }
  | { readonly kind: 'not_listening' }
  | { readonly kind: 'failed'; readonly message: string };

const ADDRESSES = ['127.0.0.1', '::1'] as const;

/** One look at an instance: its health path where it has one, else whether it accepts a connection. */
export async function probe(options: ProbeOptions): Promise<ProbeResult> {
  for (const address of ADDRESSES) {
    const asked = options.path === null ? accepts(address, options) : answers(address, options.path, options);
    // A path that no request can be made of is thrown, not emitted.
    const result = await asked.catch(failure);
    if (result.kind !== 'not_listening') return result;
  }
  return { kind: 'not_listening' };
}

const REFUSED: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']);

function accepts(address: string, { port, timeoutMs }: ProbeOptions): Promise<ProbeResult> {
  return new Promise((done) => {
    const socket = connect({ host: address, port });
    const end = (result: ProbeResult) => {
      clearTimeout(timer);
      socket.destroy();
      done(result);
    };
    const timer = setTimeout(() => end(late(timeoutMs)), timeoutMs);
    socket.once('connect', () => end({ kind: 'ready', address }));
    socket.once('error', (error) => end(failure(error)));
  });
}

/** Anything below 400 is well; redirects are not followed, for where they lead is not this instance (F106). */
function answers(address: string, path: string, { port, timeoutMs }: ProbeOptions): Promise<ProbeResult> {
  return new Promise((done) => {
    const asked = request({
      host: address,
      port,
      path,
      agent: false,
      headers: { 'user-agent': 'evident-probe' },
    });
    const end = (result: ProbeResult) => {
      clearTimeout(timer);
      asked.destroy();
      done(result);
    };
    const timer = setTimeout(() => end(late(timeoutMs)), timeoutMs);
    asked.once('response', ({ statusCode = 0 }) => {
      if (statusCode < 400) end({ kind: 'ready', address });
      else end({ kind: 'failed', message: `the health check answered ${statusCode}` });
    });
    asked.on('error', (error) => end(failure(error)));
    asked.end();
  });
}

/** Whether it answers a request at all, however it answers. */
export function replies({
  address,
  port,
  timeoutMs,
}: {
  readonly address: string;
  readonly port: number;
  readonly timeoutMs: number;
}): Promise<boolean> {
  return new Promise((done) => {
    const headers = { 'user-agent': 'evident-probe' };
    const asked = request({ host: address, port, path: '/', method: 'HEAD', agent: false, headers });
    const end = (answered: boolean) => {
      clearTimeout(timer);
      asked.destroy();
      done(answered);
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    asked.once('response', () => end(true));
    asked.on('error', () => end(false));
    asked.end();
  });
}

const late = (timeoutMs: number): ProbeResult => ({
  kind: 'failed',
  message: `no answer to the health check within ${timeoutMs} ms`,
});

function failure(error: NodeJS.ErrnoException): ProbeResult {
  if (REFUSED.has(error.code)) return { kind: 'not_listening' };
  return { kind: 'failed', message: `the health check failed: ${error.code ?? 'no answer'}` };
}

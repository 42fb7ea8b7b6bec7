import { request } from 'node:http';
import { connect } from 'node:net';
import { couldNotLook } from './could-not-look.ts';
import type { ProbeResult } from './readiness.ts';

interface ProbeOptions {
  /** Tried in turn: an app that listens on `localhost` may be found on IPv6 only. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly path: string | null;
  readonly timeoutMs: number;
}

/**
 * Probes an instance once: its health path where it has one, else whether it accepts a connection. Rejects if the probe
 * could not be made.
 */
export async function probe(options: ProbeOptions): Promise<ProbeResult> {
  for (const address of options.addresses) {
    const probing =
      options.path === null ? accepts(address, options) : answers(address, options.path, options);
    // A path that cannot be requested is thrown, not emitted.
    const result = await probing.catch(failure);
    if (result.kind !== 'not_listening') return result;
  }
  return { kind: 'not_listening' };
}

const REFUSED: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']);

function accepts(address: string, { port, timeoutMs }: ProbeOptions): Promise<ProbeResult> {
  return new Promise((done, fail) => {
    const socket = connect({ host: address, port });
    const end = (result: ProbeResult) => {
      clearTimeout(timer);
      socket.destroy();
      done(result);
    };
    const timer = setTimeout(() => end(late(timeoutMs)), timeoutMs);
    socket.once('connect', () => end({ kind: 'ready', address }));
    socket.once('error', (error) => {
      clearTimeout(timer);
      fail(error);
    });
  });
}

/** A status from 200 to 399 is ready; 0 and 101 are no answers (F120). Redirects are not followed: their destination is not this instance (F106). */
function answers(address: string, path: string, { port, timeoutMs }: ProbeOptions): Promise<ProbeResult> {
  return new Promise((done, fail) => {
    const sent = request({
      host: address,
      port,
      path,
      agent: false,
      headers: { 'user-agent': 'evident-probe' },
    });
    const end = (result: ProbeResult) => {
      clearTimeout(timer);
      sent.destroy();
      done(result);
    };
    const timer = setTimeout(() => end(late(timeoutMs)), timeoutMs);
    sent.once('response', ({ statusCode = 0 }) => {
      if (statusCode >= 200 && statusCode < 400) end({ kind: 'ready', address });
      else end({ kind: 'failed', message: `the health check answered ${statusCode}` });
    });
    sent.on('error', (error) => {
      clearTimeout(timer);
      fail(error);
    });
    sent.end();
  });
}

/** True if it answers a request at all, with whatever status. */
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
    const sent = request({ host: address, port, path: '/', method: 'HEAD', agent: false, headers });
    const end = (answered: boolean) => {
      clearTimeout(timer);
      sent.destroy();
      done(answered);
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    sent.once('response', () => end(true));
    sent.on('error', () => end(false));
    sent.end();
  });
}

const late = (timeoutMs: number): ProbeResult => ({
  kind: 'failed',
  message: `no answer to the health check within ${timeoutMs} ms`,
});

function failure(error: NodeJS.ErrnoException): ProbeResult {
  if (couldNotLook(error)) throw error;
  if (REFUSED.has(error.code)) return { kind: 'not_listening' };
  return { kind: 'failed', message: `the health check failed: ${error.code ?? 'no answer'}` };
}

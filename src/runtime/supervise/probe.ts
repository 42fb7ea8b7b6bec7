import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { PROBE_AGENT } from '../probe-agent.ts';
import { areForwardable, codingOf, isFramed } from './answer-words.ts';
import { AWAKE } from './awake-clock.ts';
import { couldNotLook } from './could-not-look.ts';
import type { ProbeResult } from './readiness.ts';

/** The request to an instance: to answer its health path well, to answer at all, or to accept. */
export type ProbeManner =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'request' }
  | { readonly kind: 'connect' };

interface ProbeOptions {
  /** Tried in turn. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly manner: ProbeManner;
  readonly timeoutMs: number;
}

/** Probes an instance once. */
export async function probe(options: ProbeOptions): Promise<ProbeResult> {
  const { manner } = options;
  for (const address of options.addresses) {
    const probing = manner.kind === 'connect' ? accepts(address, options) : answers(address, manner, options);
    // A path that cannot be requested is thrown, not emitted.
    const result = await probing.catch((error: NodeJS.ErrnoException) => failure(error, address, manner));
    if (result.kind !== 'not_listening') return result;
  }
  return { kind: 'not_listening', listens: [] };
}

function accepts(address: string, { port, timeoutMs, manner }: ProbeOptions): Promise<ProbeResult> {
  return new Promise((done) => {
    const socket = connect({ host: address, port });
    const end = (result: ProbeResult) => {
      callOff();
      socket.destroy();
      done(result);
    };
    const callOff = AWAKE.after(timeoutMs, () => end(late(manner, timeoutMs)));
    socket.once('connect', () => end({ kind: 'ready', address, by: 'connect' }));
    socket.on('error', (error) => end(failure(error, address, manner)));
  });
}

type RequestManner = Exclude<ProbeManner, { readonly kind: 'connect' }>;

/**
 * A health path is well with a status below 400; without one any answer will do, to HEAD, for only the status matters.
 * 0 and 101 are no answers, nor is anything else that the router could not forward: users would get an error (F120).
 * Redirects are not followed: their destination is not this instance (F106).
 */
function answers(
  address: string,
  manner: RequestManner,
  { port, timeoutMs }: ProbeOptions,
): Promise<ProbeResult> {
  return new Promise((done) => {
    const isPath = manner.kind === 'path';
    const sent = request({
      host: address,
      port,
      path: isPath ? manner.path : '/',
      method: isPath ? 'GET' : 'HEAD',
      agent: false,
      headers: { 'user-agent': PROBE_AGENT },
    });
    const end = (result: ProbeResult) => {
      callOff();
      sent.destroy();
      done(result);
    };
    const callOff = AWAKE.after(timeoutMs, () => end(late(manner, timeoutMs)));
    const answered = (answer: IncomingMessage) => {
      const { statusCode = 0, statusMessage = '', rawHeaders } = answer;
      const isGood = isFramed(codingOf(answer)) && areForwardable(statusMessage, rawHeaders);
      if (statusCode < 200 || statusCode > 599 || !isGood)
        end({ kind: 'not_answering', message: `${nameOf(manner)} failed: its answer is not valid HTTP` });
      else if (!isPath || statusCode < 400) end({ kind: 'ready', address, by: 'request' });
      else end({ kind: 'failed', message: `the health check answered ${statusCode}`, status: statusCode });
    };
    let read: IncomingMessage | null = null;
    sent.once('response', (answer) => {
      if (!isPath) return answered(answer);
      read = answer;
      // Bytes that came with the head are parsed first: if they are no HTTP, users get no answer either.
      process.nextTick(answered, answer);
    });
    sent.once('upgrade', answered);
    sent.on('error', (error) => {
      // Bytes after a whole answer are ignored, as the router ignores them.
      if (read?.complete) answered(read);
      else end(failure(error, address, manner));
    });
    sent.end();
  });
}

/** The same words for every probe that is not answered: another text would be reported as a change. */
export function late(manner: ProbeManner, timeoutMs: number): ProbeResult {
  return { kind: 'not_answering', message: `no answer to ${nameOf(manner)} within ${timeoutMs} ms` };
}

const nameOf = ({ kind }: ProbeManner) =>
  kind === 'path' ? 'the health check' : kind === 'request' ? 'a request' : 'a connection';

const REFUSED: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'EAFNOSUPPORT']);

function failure(
  error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer },
  address: string,
  manner: ProbeManner,
): ProbeResult {
  const { code = 'no answer', rawPacket } = error;
  if (REFUSED.has(code)) return { kind: 'not_listening', listens: [] };
  if (code === 'EADDRNOTAVAIL')
    return address.includes(':') ? { kind: 'not_listening', listens: [] } : { kind: 'unobserved' };
  if (couldNotLook(error)) return { kind: 'unobserved' };
  if (manner.kind === 'request') {
    const hungUp = code === 'ECONNRESET' || code === 'EPIPE';
    if (hungUp || isNoHttp(code, rawPacket)) return { kind: 'other_protocol', address, hungUp };
  }
  const why = code.startsWith('HPE_') ? 'its answer is not valid HTTP' : code;
  return { kind: 'not_answering', message: `${nameOf(manner)} failed: ${why}` };
}

/** Broken HTTP is HTTP: the router could not forward it either (F120). */
const isNoHttp = (code: string, answer: Buffer | undefined) =>
  code.startsWith('HPE_') && answer !== undefined && !/^HTTP\//i.test(answer.toString('latin1', 0, 5));

import { request } from 'node:http';
import { AWAKE } from '../supervise/awake-clock.ts';
import { couldNotLook, descriptorsLeft } from '../supervise/could-not-look.ts';
import type { RouteQuestion, RouteReply, ServiceRoute } from '../supervise/router-port.ts';

/** Marks a request of the router itself; its value is a secret of this router. */
export const PROOF_SECRET = 'x-evident-asked';
/** Marks such a request that is answered by the router, without an instance. */
export const ROUTE_ONLY = 'x-evident-route-only';
/** Names the service and the attempt that answered such a request. */
export const PROOF_ANSWER = 'x-evident-answered';

/** Empty if no attempt serves, so that no header of an app can stand in its place. */
export const routerProofOf = ({ service, stamp }: ServiceRoute) =>
  stamp === null ? '' : `${service} ${stamp.revision}.${stamp.attempt}`;

interface RouteRequest extends Omit<RouteQuestion, 'hosts'> {
  readonly address: string;
  readonly port: number;
  readonly host: string;
  readonly secret: string;
  readonly signal: AbortSignal;
}

/** A proof needs three: its own, the router's for it, and the router's to the instance. */
const DESCRIPTORS = 3;

/** Requests one listed address of a service, and compares who answered: the answer of another service is no proof. */
export function askRoute(asked: RouteRequest): Promise<RouteReply> {
  const { address, port, host, path, isHttp, secret, timeoutMs, signal } = asked;
  return new Promise((done) => {
    const sent = request({
      host: address,
      port,
      path: path ?? '/',
      // Without a health path only the status matters, not the body.
      method: path === null ? 'HEAD' : 'GET',
      agent: false,
      headers: {
        host,
        'user-agent': 'evident-probe',
        [PROOF_SECRET]: secret,
        ...(isHttp ? {} : { [ROUTE_ONLY]: '1' }),
      },
    });
    const end = (reply: RouteReply) => {
      callOff();
      signal.removeEventListener('abort', giveUp);
      sent.destroy();
      // For want of descriptors of our own a good route fails at any of its steps, which proves nothing (F122).
      done(reply.kind === 'answered' || descriptorsLeft(DESCRIPTORS) ? reply : { kind: 'unobserved' });
    };
    const giveUp = () => end({ kind: 'failed' });
    const callOff = AWAKE.after(timeoutMs, giveUp);
    signal.addEventListener('abort', giveUp);
    sent.once('response', ({ headers, statusCode = 0 }) =>
      end(replyOf(asked, String(headers[PROOF_ANSWER] ?? ''), statusCode)),
    );
    sent.on('error', (error) => end({ kind: couldNotLook(error) ? 'unobserved' : 'failed' }));
    sent.end();
  });
}

const BROKEN_OFF = 502;

function replyOf({ service, path }: RouteRequest, mark: string, statusCode: number): RouteReply {
  const [who, stamp = ''] = mark.split(' ');
  // Without the mark it is a page of the router.
  if (who === '') return { kind: statusCode === BROKEN_OFF ? 'failed' : 'denied' };
  if (who !== service) return { kind: 'denied' };
  const [revision = 0, attempt = 0] = stamp.split('.').map(Number);
  // With a health path only good health counts.
  return path === null || statusCode < 400
    ? { kind: 'answered', stamp: { revision, attempt } }
    : { kind: 'failed' };
}

/** All of them together: the worst counts, and answers for two attempts at once are none. */
export function together(replies: readonly RouteReply[]): RouteReply {
  for (const kind of ['denied', 'unobserved', 'failed'] as const)
    if (replies.some((reply) => reply.kind === kind)) return { kind };
  const answers = new Set(replies.map((reply) => JSON.stringify(reply)));
  return answers.size === 1 ? (replies[0] ?? { kind: 'denied' }) : { kind: 'failed' };
}

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { checkServerIdentity, type TLSSocket } from 'node:tls';
import { PROBE_AGENT } from '../probe-agent.ts';
import { AWAKE } from '../supervise/awake-clock.ts';
import { couldNotLook, descriptorsLeft } from '../supervise/could-not-look.ts';
import { coversHost } from '../supervise/hosts.ts';
import type {
  HttpsDoor,
  RouteCertificate,
  RouteQuestion,
  RouteReply,
  ServiceRoute,
} from '../supervise/router-port.ts';

/** Marks a request that proves a route: a number used once, signed with the secret of the router. */
export const PROOF_ASKED = 'x-evident-asked';
/** Marks such a request that is answered by the router, without an instance. */
export const ROUTE_ONLY = 'x-evident-route-only';
/** Names the service and the attempt that answered such a request, signed for its number. */
export const PROOF_ANSWER = 'x-evident-answered';

/** Where a router listens, and the secret that it shares with whoever supervises it. */
interface RouterDoor {
  readonly address: string;
  readonly port: number;
  /** The port of the service's own, if it has one. */
  readonly own: number | undefined;
  readonly https: HttpsDoor | null;
  readonly secret: string;
}

/** The number of a request that proves a route; null if it is none. */
export function proofAsked(header: string | string[] | undefined, secret: string): string | null {
  const [nonce = '', signature = ''] = String(header ?? '').split(' ');
  return isSame(signature, signed(secret, `asked ${nonce}`)) ? nonce : null;
}

/**
 * The mark of an answer. The secret itself never leaves: whoever else listens on the port of a router that died could
 * repeat what it gets, but cannot sign the answer to a number that it sees for the first time.
 */
export function proofAnswer({ service, stamp }: ServiceRoute, nonce: string, secret: string): string {
  // Empty if no attempt serves, so that no header of an app can stand in its place.
  if (stamp === null) return '';
  const mark = `${service} ${stamp.revision}.${stamp.attempt}`;
  return `${mark} ${signed(secret, `answered ${nonce} ${mark}`)}`;
}

const signed = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

const isSame = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

interface RouteRequest extends Omit<RouteQuestion, 'hosts'> {
  readonly address: string;
  readonly port: number;
  readonly host: string;
  readonly isTls?: boolean;
  readonly secret: string;
  readonly signal: AbortSignal;
}

/** A proof needs three: its own, the router's for it, and the router's to the instance. */
const DESCRIPTORS = 3;

/**
 * Sends a request through the front door, as a user would, under the first host; the other listed addresses, and all of
 * them where the question is not whole, only have to lead to the same service, which costs the app no request.
 */
export async function proveRoute(
  { address, port, own, https, secret }: RouterDoor,
  { hosts, ...question }: RouteQuestion,
  signal: AbortSignal,
): Promise<RouteReply> {
  const [first = '', ...others] = hosts;
  const common = { address, secret, ...question, signal };
  return together(
    await Promise.all([
      askRoute({ ...common, port, host: first, isHttp: question.isHttp && question.isWhole }),
      ...others.map((host) => askRoute({ ...common, port, host, isHttp: false })),
      ...hosts
        .filter((host) => https !== null && coversHost(https.names, host))
        .map((host) => askRoute({ ...common, port: https?.port ?? 0, host, isHttp: false, isTls: true })),
      ...(own === undefined
        ? []
        : [askRoute({ ...common, port: own, host: `${address}:${own}`, isHttp: false })]),
    ]),
  );
}

/** The address at which this machine reaches a listener. */
export const reachedAt = (host: string) => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host);

/** Requests one listed address of a service, and compares who answered: the answer of another service is no proof. */
function askRoute(asked: RouteRequest): Promise<RouteReply> {
  const { address, port, host, path, isHttp, isTls = false, secret, timeoutMs, signal } = asked;
  const nonce = randomBytes(16).toString('hex');
  return new Promise((done) => {
    const sent = (isTls ? requestTls : request)({
      // Whether clients trust whoever signed the certificate is theirs to know: its names and its end are judged.
      ...(isTls ? { servername: host, rejectUnauthorized: false } : {}),
      host: address,
      port,
      path: path ?? '/',
      // Without a health path only the status matters, not the body.
      method: path === null ? 'HEAD' : 'GET',
      agent: false,
      headers: {
        host,
        'user-agent': PROBE_AGENT,
        [PROOF_ASKED]: `${nonce} ${signed(secret, `asked ${nonce}`)}`,
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
    sent.once('response', ({ headers, statusCode = 0, socket }) => {
      const reply = replyOf(asked, nonce, String(headers[PROOF_ANSWER] ?? ''), statusCode);
      end(isTls ? withCertificate(reply, host, socket as TLSSocket) : reply);
    });
    sent.on('error', (error) => end({ kind: couldNotLook(error) ? 'unobserved' : 'failed' }));
    sent.end();
  });
}

const BROKEN_OFF = 502;

function replyOf(
  { service, path, secret }: RouteRequest,
  nonce: string,
  mark: string,
  statusCode: number,
): RouteReply {
  const [who, stamp = '', signature = ''] = mark.split(' ');
  // Without the mark it is a page of the router.
  if (who === '') return { kind: statusCode === BROKEN_OFF ? 'failed' : 'denied' };
  if (who !== service || !isSame(signature, signed(secret, `answered ${nonce} ${who} ${stamp}`)))
    return { kind: 'denied' };
  const [revision = 0, attempt = 0] = stamp.split('.').map(Number);
  // With a health path only good health counts.
  return path === null || statusCode < 400
    ? { kind: 'answered', stamp: { revision, attempt } }
    : { kind: 'failed' };
}

/** A certificate for other names is none for this host. */
function withCertificate(reply: RouteReply, host: string, socket: TLSSocket): RouteReply {
  if (reply.kind !== 'answered') return reply;
  const shown = socket.getPeerCertificate();
  if (checkServerIdentity(host, shown) !== undefined) return { kind: 'denied' };
  return { ...reply, certificate: certificateAt(Date.now(), shown.valid_from, shown.valid_to) };
}

const SOON_MS = 14 * 24 * 3_600_000;

/** The end is near in its last two weeks; of one that lives shorter than six, in the last third of its life. Pure. */
export function certificateAt(now: number, validFrom: string, validTo: string): RouteCertificate {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const soonMs = Math.min(SOON_MS, (to - from) / 3);
  const ends = now >= to ? 'over' : now >= to - soonMs ? 'soon' : null;
  return { notAfter: new Date(to).toISOString(), ends };
}

/** All of them together: the worst counts, and answers for two attempts at once are none. */
function together(replies: readonly RouteReply[]): RouteReply {
  for (const kind of ['denied', 'unobserved', 'failed'] as const)
    if (replies.some((reply) => reply.kind === kind)) return { kind };
  const answers = replies.flatMap((reply) => (reply.kind === 'answered' ? [reply] : []));
  const [first] = answers;
  const isOne = new Set(answers.map(({ stamp }) => JSON.stringify(stamp))).size === 1;
  if (first === undefined || !isOne) return { kind: 'failed' };
  // The one that ends first counts.
  const [certificate] = answers
    .flatMap((answer) => answer.certificate ?? [])
    .sort((a, b) => (a.notAfter < b.notAfter ? -1 : 1));
  return { kind: 'answered', stamp: first.stamp, ...(certificate && { certificate }) };
}

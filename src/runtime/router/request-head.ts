import type { IncomingMessage } from 'node:http';
import { withoutSession } from '../../contract/session-cookie.ts';

/** The framing of a request's body. The router frames it anew, and never from what a header says of another header. */
type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: string }
  | { readonly kind: 'chunked' };

/** A request as an instance gets it. */
export interface RequestHead {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn, as Node takes them. */
  readonly headers: readonly string[];
  readonly hasBody: boolean;
}

/**
 * The headers between neighbours, which the router does not forward. The list is explicit (F123).
 * Rejected: removing also whatever a client names in `Connection` (RFC 9110, 7.6.1). A client that names
 * `content-length`, `host` or `authorization` would choose which of its headers the app believes.
 */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that the router says itself: the host, the frame, and the origin, which a client could only claim. */
const OURS = /^(?:host|content-length|expect|forwarded|x-real-ip|x-forwarded-.*|x-evident-.*)$/;

/** Null if the body has a coding that the router does not know: it could not frame it anew. */
export function requestHead(req: IncomingMessage): RequestHead | null {
  return headOf(req, ['connection', 'close']);
}

/** The same request, for a connection that becomes a WebSocket. */
export function upgradeHead(req: IncomingMessage): RequestHead | null {
  return headOf(req, ['connection', 'Upgrade', 'upgrade', 'websocket']);
}

function headOf(req: IncomingMessage, connection: readonly string[]): RequestHead | null {
  const framing = framingOf(req);
  if (framing === null) return null;
  const { method = 'GET', socket } = req;
  const { host } = req.headers;
  const headers: string[] = host === undefined ? [...connection] : ['host', host, ...connection];
  for (const [name, value] of pairsOf(req.rawHeaders)) {
    const known = name.toLowerCase();
    if (HOP_BY_HOP.has(known) || OURS.test(known)) continue;
    const kept = known === 'cookie' ? withoutSession(value) : value;
    if (kept !== null) headers.push(name, kept);
  }
  headers.push('x-forwarded-for', (socket.remoteAddress ?? '').replace(/^::ffff:/, ''));
  headers.push('x-forwarded-proto', schemeOf(req), 'x-forwarded-host', host ?? '');
  headers.push('x-forwarded-port', String(socket.localPort ?? ''));
  if (framing.kind === 'length') headers.push('content-length', framing.bytes);
  else if (framing.kind === 'chunked') headers.push('transfer-encoding', 'chunked');
  else if (method !== 'GET' && method !== 'HEAD') headers.push('content-length', '0');
  return { method, path: pathOf(req), headers, hasBody: framing.kind !== 'none' };
}

const schemeOf = ({ socket }: IncomingMessage) => ('encrypted' in socket ? 'https' : 'http');

/** True if the request is to become a WebSocket. With a body it cannot be one. */
export function isWebSocket(req: IncomingMessage): boolean {
  const isAsked = req.headers.upgrade?.trim().toLowerCase() === 'websocket';
  return isAsked && req.method === 'GET' && framingOf(req)?.kind === 'none';
}

/**
 * The address to which a browser is sent that loads a page of an app at `localhost`: that name is the page's of Evident,
 * and a page of an app there could set its cookie (F127). Null if it may stay. An app has it at 127.0.0.1 as well.
 */
export function awayFromPage(req: IncomingMessage): string | null {
  const port = /^localhost\.?(:\d+)?$/i.exec(req.headers.host ?? '');
  const isPage = /\btext\/html\b/.test(req.headers.accept ?? '');
  return port !== null && isPage ? `${schemeOf(req)}://127.0.0.1${port[1] ?? ''}${pathOf(req)}` : null;
}

/** The bytes of the request without its wish for another protocol (`h2c` and the like), which a server may ignore. */
export function withoutUpgrade(req: IncomingMessage): Buffer {
  const closes = /\bclose\b/i.test(req.headers.connection ?? '');
  const lines = [...pairsOf(req.rawHeaders)]
    .filter(([name]) => !/^(?:connection|upgrade|http2-settings)$/i.test(name))
    .map(([name, value]) => `${name}: ${value}`);
  const first = `${req.method} ${req.url} HTTP/${req.httpVersion}`;
  return Buffer.from(
    [first, ...lines, ...(closes ? ['connection: close'] : []), '', ''].join('\r\n'),
    'latin1',
  );
}

function framingOf({ headers }: IncomingMessage): Framing | null {
  const coding = headers['transfer-encoding']?.trim().toLowerCase();
  if (coding !== undefined) return coding === 'chunked' ? { kind: 'chunked' } : null;
  const bytes = headers['content-length'] ?? '0';
  return Number(bytes) > 0 ? { kind: 'length', bytes } : { kind: 'none' };
}

/** A client may name the whole address (RFC 9112, 3.2.2); an instance gets the path. */
function pathOf({ url = '/' }: IncomingMessage): string {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

export function* pairsOf(raw: readonly string[]): Generator<readonly [string, string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at] ?? '', raw[at + 1] ?? ''];
}

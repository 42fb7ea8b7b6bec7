import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The router's own answers. They show nothing of the inside: no ports, no revisions, no paths (S15). */
const PAGES = {
  two_hosts: {
    status: 400,
    title: 'Bad Request',
    text: 'The request names its host more than once.',
  },
  unknown_host: {
    status: 404,
    title: 'No such service',
    text: 'Nothing is deployed here under this host name.',
  },
  not_ready: {
    status: 503,
    title: 'Not ready',
    text: 'This service is known, but none of it is ready to answer. Try again in a moment.',
  },
  stopped: {
    status: 503,
    title: 'Stopped',
    text: 'This service is asked to run no copies. It answers again when it is scaled up.',
  },
  no_tunnel: {
    status: 405,
    title: 'Method Not Allowed',
    text: 'CONNECT is for proxies, and this is none.',
  },
  unknown_coding: {
    status: 501,
    title: 'Not Implemented',
    text: 'The body of the request comes in a transfer coding that is not understood here.',
  },
  malformed: {
    status: 502,
    title: 'Bad answer',
    text: 'The service took the request and sent something that is no HTTP answer. Whether it acted on it is not known.',
  },
  broken_off: {
    status: 502,
    title: 'No answer',
    text: 'The service took the request and ended before it answered. Whether it acted on it is not known.',
  },
} as const;
export type RouterPage = keyof typeof PAGES;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

const headersOf = (page: RouterPage, type: string) => ({
  'content-type': `${type}; charset=utf-8`,
  'cache-control': 'no-store',
  ...(page === 'not_ready' ? { 'retry-after': '1' } : {}),
  ...(page === 'no_tunnel' ? { allow: METHODS } : {}),
});

function bodyOf(page: RouterPage, html: boolean): string {
  const { status, title, text } = PAGES[page];
  return html
    ? `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${status} ${title}</h1><p>${text}</p></html>\n`
    : `${title}: ${text}\n`;
}

export function answerPage(page: RouterPage, req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  const html = /\btext\/html\b/.test(req.headers.accept ?? '');
  const body = bodyOf(page, html);
  // The rest of the request is not read, so the connection is of no further use.
  const rest = req.complete ? {} : { connection: 'close' };
  res.writeHead(PAGES[page].status, {
    ...headersOf(page, html ? 'text/html' : 'text/plain'),
    'content-length': Buffer.byteLength(body),
    ...rest,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** `OPTIONS *` is about the server in general (RFC 9110, 9.3.7), not about a service: no instance gets it. */
export function answerOptions(res: ServerResponse): void {
  res.writeHead(204, { allow: METHODS });
  res.end();
}

export function answerElsewhere(res: ServerResponse, location: string): void {
  res.writeHead(307, { location, 'cache-control': 'no-store', 'content-length': 0 });
  res.end();
}

/** True while an earlier answer is under way on this connection: a second could not be told from it. */
export const isAnswering = (client: Duplex) =>
  Boolean((client as Duplex & { readonly _httpMessage?: ServerResponse | null })._httpMessage);

/** A response on a connection that Node has handed over, for a request that does not get what it wanted to make of it. */
export function responseOn(client: Duplex, req: IncomingMessage): ServerResponse {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(client as Socket);
  res.once('finish', () => {
    res.detachSocket(client as Socket);
    client.end();
  });
  return res;
}

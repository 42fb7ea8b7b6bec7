import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Localhost } from '../http/localhost.ts';

/** Forbids inline code and foreign sources: text from an app can be shown, and never run (F108). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

interface File {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  /** The name of the file contains a hash of its bytes. */
  readonly isForever: boolean;
}

/** The web UI, as `npm ci` built it beside this program: a few small files, held in memory. */
export class WebFiles {
  readonly #files: ReadonlyMap<string, File>;

  private constructor(files: ReadonlyMap<string, File>) {
    this.#files = files;
  }

  /** Null where the UI was not built: then a plain page is served. */
  static find(places: readonly string[] = WEB_PLACES): WebFiles | null {
    return places.reduce<WebFiles | null>((found, dir) => found ?? WebFiles.#open(dir), null);
  }

  static #open(dir: string): WebFiles | null {
    let names: string[];
    try {
      names = readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
      );
    } catch {
      return null;
    }
    const files = names.map((name): [string, File] => {
      const bytes = readFileSync(name);
      const path = `/${relative(dir, name)}`;
      const type = TYPES[extname(name)] ?? 'application/octet-stream';
      return [path, { type, bytes, gzipped: gzipSync(bytes), isForever: path.startsWith('/assets/') }];
    });
    const found = new WebFiles(new Map(files));
    return found.page === null ? null : found;
  }

  get page(): File | null {
    return this.#files.get('/index.html') ?? null;
  }

  /** Finds the file of this path; for a path that only the UI routes, its front page; null for neither. */
  of(request: FastifyRequest): File | null {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null;
    const path = request.url.split('?')[0] ?? '/';
    const file = this.#files.get(path);
    if (file !== undefined) return file;
    const isPage = !path.startsWith('/v1/') && /\btext\/html\b/.test(request.headers.accept ?? '');
    return isPage ? this.page : null;
  }
}

/** Sends a file; sends a browser that requests a page at an address of this machine to `localhost` instead (F127). */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: File,
  localhost: Localhost,
): FastifyReply {
  const elsewhere = file.type.startsWith('text/html') ? localhost.addressOf(request) : null;
  if (elsewhere !== null) return reply.header('cache-control', 'no-store').redirect(elsewhere, 307);
  const isGzipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  return reply
    .headers({
      'content-type': file.type,
      'content-security-policy': POLICY,
      'referrer-policy': 'same-origin',
      'cache-control': file.isForever ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(isGzipped ? { 'content-encoding': 'gzip' } : {}),
    })
    .send(isGzipped ? file.gzipped : file.bytes);
}

/** The UI lies beside the bundle in dist/, or relative to the source. */
const WEB_PLACES: readonly string[] = ['./web', '../../../dist/web'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
);

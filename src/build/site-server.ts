/**
 * Serves the files of a site. Its own text is shipped inside the artifact (src/build/site.ts), so that an
 * agent needs only Node. Therefore it is one function that uses nothing outside itself but its parameters.
 */
interface Modules {
  readonly http: typeof import('node:http');
  readonly fs: typeof import('node:fs');
  readonly path: typeof import('node:path');
  readonly crypto: typeof import('node:crypto');
}

export function serveSite(modules: Modules, folder: string, port: number): import('node:http').Server {
  const { http, fs, path, crypto } = modules;
  const root = fs.realpathSync(folder);
  const TYPES: Record<string, string> = {
    html: 'text/html; charset=utf-8',
    htm: 'text/html; charset=utf-8',
    css: 'text/css; charset=utf-8',
    js: 'text/javascript; charset=utf-8',
    mjs: 'text/javascript; charset=utf-8',
    json: 'application/json',
    map: 'application/json',
    webmanifest: 'application/manifest+json',
    xml: 'application/xml',
    txt: 'text/plain; charset=utf-8',
    md: 'text/markdown; charset=utf-8',
    csv: 'text/csv; charset=utf-8',
    svg: 'image/svg+xml',
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    avif: 'image/avif',
    ico: 'image/vnd.microsoft.icon',
    woff: 'font/woff',
    woff2: 'font/woff2',
    ttf: 'font/ttf',
    otf: 'font/otf',
    mp3: 'audio/mpeg',
    ogg: 'audio/ogg',
    mp4: 'video/mp4',
    webm: 'video/webm',
    pdf: 'application/pdf',
    wasm: 'application/wasm',
    zip: 'application/zip',
  };
  /**
   * An artifact never changes, so each file is hashed once. Dates are useless as tags: all files have the
   * same one.
   */
  const tags = new Map<string, Promise<string>>();

  const tagOf = (file: string) => {
    const computed = tags.get(file);
    if (computed !== undefined) return computed;
    const made = new Promise<string>((done, fail) => {
      const hash = crypto.createHash('sha256');
      fs.createReadStream(file)
        .on('data', (chunk) => hash.update(chunk))
        .on('error', fail)
        .on('end', () => done(`"${hash.digest('base64url').slice(0, 27)}"`));
    });
    tags.set(file, made);
    return made;
  };

  /**
   * The file inside the root that a path names, links followed; null where there is none, or a hidden one.
   */
  const fileAt = (names: readonly string[]): string | null => {
    try {
      const real = fs.realpathSync(path.join(root, ...names));
      const inside = real === root || real.startsWith(root + path.sep);
      return inside && fs.statSync(real).isFile() ? real : null;
    } catch {
      return null;
    }
  };
  const isFolder = (names: readonly string[]) => {
    try {
      return fs.statSync(path.join(root, ...names)).isDirectory();
    } catch {
      return false;
    }
  };
  const HIDDEN = new Set(['node_modules', 'evident.yaml', 'Procfile']);

  /** Decoded names of a path. Refuses "..", hidden files, NUL and backslash, however they are encoded. */
  const namesIn = (pathname: string): string[] | null => {
    let text: string;
    try {
      text = decodeURIComponent(pathname);
    } catch {
      return null;
    }
    const names = text.split('/').filter((name) => name !== '');
    const odd = names.some((name) => name.startsWith('.') || /[\0\\]/.test(name) || HIDDEN.has(name));
    return odd ? null : names;
  };

  const send = async (
    request: import('node:http').IncomingMessage,
    response: import('node:http').ServerResponse,
    status: number,
    file: string,
  ) => {
    const etag = await tagOf(file);
    const type = TYPES[path.extname(file).slice(1).toLowerCase()] ?? 'application/octet-stream';
    // A name with a content hash names another file when the content changes, so browsers may keep it for
    // ever. Dates and words are no hashes.
    const hash = /[.-](?=[^.]*\d)(?=[^.]*[A-Za-z])(?:([0-9a-f]{8,64})|([\w-]{8}))\.\w+$/.exec(
      path.basename(file),
    );
    const isHashed =
      hash !== null && (hash[1] !== undefined || /[a-z].*[A-Z]|[A-Z].*[a-z]/.test(hash[2] ?? ''));
    const forEver = status === 200 && isHashed && !type.startsWith('text/html');
    const headers = {
      etag,
      'cache-control': forEver ? 'public, max-age=31536000, immutable' : 'no-cache',
      'x-content-type-options': 'nosniff',
    };
    const cachedTags = (request.headers['if-none-match'] ?? '')
      .split(',')
      .map((tag) => tag.trim().replace(/^W\//, ''));
    if (status === 200 && (cachedTags.includes(etag) || cachedTags.includes('*'))) {
      response.writeHead(304, headers).end();
      return;
    }
    const { size } = fs.statSync(file);
    response.writeHead(status, { ...headers, 'content-type': type, 'content-length': size });
    if (request.method === 'HEAD') response.end();
    else
      fs.createReadStream(file)
        .on('error', () => response.destroy())
        .pipe(response);
  };

  const answer = async (
    request: import('node:http').IncomingMessage,
    response: import('node:http').ServerResponse,
  ) => {
    const plain = (status: number, text: string, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers });
      response.end(request.method === 'HEAD' ? undefined : `${text}\n`);
    };
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return plain(405, 'This is a site: it can only be read.', { allow: 'GET, HEAD' });
    const [pathname = '/', query] = (request.url ?? '/').split('?', 2);
    const names = namesIn(pathname);
    if (names === null) return missing(request, response, plain);
    const asFolder = names.length === 0 || pathname.endsWith('/');
    const file = asFolder
      ? fileAt([...names, 'index.html'])
      : (fileAt(names) ?? fileAt([...names.slice(0, -1), `${names.at(-1)}.html`]));
    if (file !== null) return send(request, response, 200, file);
    // Built from the decoded names, never from the path as it came: "//evil" would lead to another host.
    if (!asFolder && isFolder(names))
      return plain(301, 'It is a folder.', {
        location: `/${names.map(encodeURIComponent).join('/')}/${query === undefined ? '' : `?${query}`}`,
      });
    return missing(request, response, plain);
  };

  const missing = (
    request: import('node:http').IncomingMessage,
    response: import('node:http').ServerResponse,
    plain: (status: number, text: string) => void,
  ) => {
    const page = fileAt(['404.html']);
    return page === null ? plain(404, 'There is nothing here.') : send(request, response, 404, page);
  };

  const server = http.createServer((request, response) => {
    void Promise.resolve(answer(request, response)).catch(() => response.destroy());
  });
  return server.listen(port);
}

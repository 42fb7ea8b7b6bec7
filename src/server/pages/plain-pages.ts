import manifest from '../../../package.json' with { type: 'json' };

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}' +
  'code{font:14px/1.4 ui-monospace,monospace}table{border-collapse:collapse;width:100%}' +
  'ul{margin:.2rem 0;padding-left:1.4rem}h3{margin-top:2rem}' +
  'td,th{text-align:left;vertical-align:top;padding:.35rem .6rem .35rem 0;border-bottom:1px solid #ddd}' +
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#151515}td,th{border-color:#333}a{color:#8ab4ff}}';

export const plainPage = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${escaped(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>`;

/** The front page where the UI was not built. */
export function frontPage(): string {
  return plainPage(
    'Evident',
    `<h1>Evident ${escaped(manifest.version)}</h1><p>${escaped(manifest.description)}.</p>` +
      `<p>This server speaks HTTP: <a href="/docs">the calls it knows</a>, <a href="/openapi.json">as OpenAPI 3.1</a>, ` +
      `<a href="/healthz">is it alive</a>, <a href="/readyz">is it ready</a>.</p>`,
  );
}

export const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

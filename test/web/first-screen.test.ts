import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ok } from '../server/parties.ts';
import { useInstallations } from '../up/installation.ts';
import { describeInBrowser } from './browser.ts';

const WEB = join(import.meta.dirname, '../../dist/web');
const MOST_BYTES = 100_000;
const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

/** Notes each script that was asked for until the first row of the list was drawn. */
const NOTE = `
  new MutationObserver((_, watch) => {
    if (document.querySelector('tr.line') === null) return;
    watch.disconnect();
    window.scriptsOfTheList = performance.getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.endsWith('.js'));
  }).observe(document, { childList: true, subtree: true });`;

/** As a server sends it. */
const sentBytes = (path: string) => gzipSync(readFileSync(join(WEB, path))).length;
const sum = (bytes: readonly number[]) => bytes.reduce((all, one) => all + one, 0);

it('the page takes less than 100 kB of script, as it is sent', () => {
  const page = readFileSync(join(WEB, 'index.html'), 'utf8');
  const scripts = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? '');
  expect(scripts).not.toEqual([]);
  // A script loads with it everything that it imports at its top, which would have to be counted too.
  for (const path of scripts) expect(readFileSync(join(WEB, path), 'utf8')).not.toMatch(/^import[\s{]/);
  expect(sum(scripts.map(sentBytes))).toBeLessThan(MOST_BYTES);
});

describeInBrowser('the first screen', ({ open }) => {
  const { start } = useInstallations();

  it('draws the list with less than 100 kB of script in all, and loads the rest after it', {
    timeout: 120_000,
  }, async () => {
    const { api } = await start();
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const page = await open(api, '/', { before: NOTE });
    await page.locator('tr.line .ribbon').waitFor({ timeout: 60_000 });
    const before = (await page.evaluate('window.scriptsOfTheList')) as readonly string[];
    expect(before).not.toEqual([]);
    expect(sum(before.map(sentBytes)), before.join(' ')).toBeLessThan(MOST_BYTES);
  });
});

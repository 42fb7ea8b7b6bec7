import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { build, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeComplaints } from './axe.ts';
import { describeInBrowser } from './browser.ts';
import { differingCells } from './pictures.ts';

const PICTURES = join(import.meta.dirname, 'pictures');
/** `EVIDENT_TAKE_PICTURES=1` keeps the pictures of now, for somebody who has looked at them. */
const isTaking = process.env.EVIDENT_TAKE_PICTURES === '1';
const ALONE = `
  [data-alone] { position: fixed; z-index: 9; top: 0; left: 0; width: 712px; margin: 0 !important; }
  [data-wide="true"] > [data-alone] { width: 1232px; }
`;
/** The part of a picture, in cells, that may differ. */
const TOLERATED = 0.01;

describeInBrowser('the components of the web UI', ({ open }) => {
  let served: PreviewServer;
  const outDir = mkdtempSync(join(tmpdir(), 'evident-components-'));
  // Built as for development, which has the page of components. Rejected: a server for development, which makes each
  // module when it is asked for; the page has hundreds of them in each of its frames, and once waited for one for ever.
  beforeAll(async () => {
    const of = {
      configFile: join(import.meta.dirname, '../../web/vite.config.ts'),
      logLevel: 'silent',
    } as const;
    await build({ ...of, mode: 'development', build: { outDir, emptyOutDir: true, minify: false } });
    served = await preview({ ...of, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  }, 150_000);
  afterAll(async () => {
    await served.close();
    rmSync(outDir, { recursive: true, force: true });
  });

  const gallery = async (colorScheme: 'light' | 'dark'): Promise<Page> => {
    const [address = ''] = served.resolvedUrls?.local ?? [];
    const page = await open(null, new URL('/components', address).href, { colorScheme, timezoneId: 'UTC' });
    await page.getByRole('heading', { name: 'Components' }).waitFor({ timeout: 150_000 });
    for (const frame of await page.locator('iframe').all())
      await frame.contentFrame().locator('#root > *').first().waitFor({ timeout: 150_000 });
    for (const frame of page.frames()) await frame.evaluate('document.fonts.ready.then(() => true)');
    await page.addStyleTag({ content: ALONE });
    return page;
  };

  it.each(['light', 'dark'] as const)(
    'they look as in their pictures and need no colour to be told apart, %s',
    { timeout: 180_000 },
    async (theme) => {
      const page = await gallery(theme);
      expect(await axeComplaints(page)).toEqual([]);
      const differing: string[] = [];
      for (const specimen of await page.locator('[data-specimen]').all()) {
        const name = await specimen.getAttribute('data-specimen');
        const file = join(PICTURES, theme, `${name}.png`);
        // At a place of its own: a component above it that grew would move it by a part of a pixel.
        await page.evaluate(`{
        document.querySelector('[data-alone]')?.removeAttribute('data-alone');
        document.querySelector('[data-specimen="${name}"]').setAttribute('data-alone', '');
      }`);
        const now = await specimen.screenshot({ animations: 'disabled', caret: 'hide' });
        if (isTaking) {
          mkdirSync(join(PICTURES, theme), { recursive: true });
          writeFileSync(file, now);
        } else if (!existsSync(file)) differing.push(`${name}: has no picture yet`);
        else {
          const part = await differingCells(page, readFileSync(file), now);
          if (part > TOLERATED) differing.push(`${name}: ${(part * 100).toFixed(1)} % differs`);
        }
      }
      expect(differing, 'look at /components; if it is right, take the pictures again').toEqual([]);
      await page.evaluate(`document.querySelector('[data-alone]').removeAttribute('data-alone')`);
      await ribbonsCarryTheStateByHeight(page);
      if (theme === 'light') await eachStateHasAShapeOfItsOwn(page);
    },
  );
});

/** Changes the page: the last look at it. */
async function eachStateHasAShapeOfItsOwn(page: Page): Promise<void> {
  await page.addStyleTag({ content: '[data-state] { color: black !important; }' });
  const marks = await page.locator('[data-specimen="state-marks"] [data-state]').all();
  const shapes = await Promise.all(
    marks.map(async (mark) => ({
      state: await mark.getAttribute('data-state'),
      picture: await mark.locator('svg').screenshot(),
    })),
  );
  expect(shapes).toHaveLength(14);
  const alike: string[] = [];
  for (const [i, one] of shapes.entries())
    for (const other of shapes.slice(i + 1))
      if ((await differingCells(page, one.picture, other.picture, 1)) < 0.04)
        alike.push(`${one.state} and ${other.state}`);
  expect(alike).toEqual([]);
}

/** And what is not known is hatched. */
async function ribbonsCarryTheStateByHeight(page: Page): Promise<void> {
  const measured = await page.evaluate(
    `Object.fromEntries(
      [...document.querySelectorAll('[data-specimen="ribbon"] .ribbon-window > i')].map((band) => [
        band.className.replace('band-', ''),
        band.getBoundingClientRect().height,
      ]),
    )`,
  );
  expect(measured).toEqual({ running: 5, progress: 3, degraded: 10, failed: 14, unknown: 13, rest: 1 });
  const hatched = (await page.evaluate(
    `[...document.querySelectorAll('[data-specimen="ribbon-silent"] .band-unknown')].map(
      (band) => getComputedStyle(band).backgroundImage,
    )`,
  )) as string[];
  for (const image of hatched) expect(image).toContain('repeating-linear-gradient');
  expect(hatched).toHaveLength(2);
}

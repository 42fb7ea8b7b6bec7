import { expect, it } from 'vitest';
import { useInstallations, webApp } from '../up/installation.ts';
import { describeInBrowser, stateOf } from './browser.ts';

/** Adds up how far things moved that nobody asked to move, as the browser measures it. */
const MEASURE = `
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

/** A good page stays below 0.1; a line of text that wraps when it arrives is far below this. */
const LITTLE = 0.02;

describeInBrowser('the layout of the page of a service', ({ open }) => {
  const { start, cli, evidentJson, folder } = useInstallations();

  it('stays while a failed service is read, and when the page is no longer live', {
    timeout: 180_000,
  }, async () => {
    const installation = await start();
    await evidentJson(installation, 'deploy', folder(webApp('one')), '--service', 'web');
    const broken = { ...webApp('two'), 'app.js': 'throw new Error("DATABASE_URL is not set");' };
    expect(await cli(installation, 'deploy', folder(broken), '--service', 'web').code).toBe(1);
    for (const width of [1280, 390]) {
      const viewport = { width, height: 900 };
      const page = await open(installation.api, '/services/web@local', { before: MEASURE, viewport });
      await stateOf(page, 'failed');
      await page.getByRole('region', { name: 'Its log says' }).waitFor();
      await page.locator('.over-time h3', { hasText: 'deploys' }).waitFor();
      expect(await page.locator('.serving-wanted .last-known').count(), 'its target is heard').toBe(0);
      expect(Number(await page.evaluate('window.shifted')), `${width} px wide`).toBeLessThan(LITTLE);
      // A phone wraps the longer badge of what is last known.
      if (width === 1280) {
        const tabs = page.getByRole('navigation', { name: 'Parts of this page' });
        const before = await tabs.boundingBox();
        process.kill(installation.up.pid, 'SIGSTOP');
        await page.getByText('This page lost its server').waitFor({ timeout: 60_000 });
        expect((await tabs.boundingBox())?.y).toBe(before?.y);
        process.kill(installation.up.pid, 'SIGCONT');
        await stateOf(page, 'failed');
        await page.goto(new URL('/services/web@local/logs', page.url()).href);
        await page.locator('.error-line').first().waitFor();
        const below = await page.evaluate(
          `document.documentElement.scrollHeight - scrollY - document.querySelector('.logs').getBoundingClientRect().bottom`,
        );
        expect(Number(below), 'nothing but a margin below the log').toBeLessThan(80);
        await page.getByRole('link', { name: 'Evidence' }).click();
        const label = page.locator('.chart .served text').first();
        expect(await label.evaluate((text) => text.childNodes.length), 'no part covers another').toBe(1);
        await page.getByRole('link', { name: 'Overview' }).click();
        await page.getByRole('button', { name: 'Time machine' }).click();
        const gap = await page.evaluate(
          `document.querySelector('.service-head').getBoundingClientRect().top
             - document.querySelector('.time-machine').getBoundingClientRect().bottom`,
        );
        expect(gap, 'the head of the page continues the line of time').toBe(0);
      }
      await page.context().close();
    }
  });

  it('keeps the first button of a phone in reach, and never over the words that it belongs to', {
    timeout: 180_000,
  }, async () => {
    const installation = await start();
    const broken = { ...webApp('one'), 'app.js': 'throw new Error("DATABASE_URL is not set");' };
    expect(await cli(installation, 'deploy', folder(broken), '--service', 'web').code).toBe(1);
    const viewport = { width: 360, height: 560 };
    const page = await open(installation.api, '/services/web@local', { viewport });
    await stateOf(page, 'failed');
    const safe = page.getByRole('region', { name: 'What is safe next' });
    const button = safe.locator('.primary');
    await page.locator('.primary-place[data-below="true"]').waitFor();
    expect((await button.boundingBox())?.y, 'at the bottom of the screen').toBeGreaterThan(450);
    await safe.getByRole('heading').evaluate((heading) => heading.scrollIntoView({ block: 'end' }));
    await page.locator('.primary-place[data-below="false"]').waitFor();
    const words = await safe.locator('.actions > p').first().boundingBox();
    const pressed = await button.boundingBox();
    expect(pressed?.y).toBeGreaterThanOrEqual((words?.y ?? 0) + (words?.height ?? 0));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });
});

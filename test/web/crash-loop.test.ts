import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RibbonView } from '../../src/contract/answers/views.ts';
import type { Claim } from '../../src/contract/claim.ts';
import { useInstallations } from '../up/installation.ts';
import { describeInBrowser, stateOf } from './browser.ts';

const APP = join(import.meta.dirname, '../../examples/crashes-later');
const PAGE = '/services/crashes-later@local';

describeInBrowser('the web UI of an app that answers between two exits', ({ open }) => {
  const { start, evident } = useInstallations();

  it('counts it as serving nowhere, its exits alike everywhere, and each exit at one instant for ever', {
    timeout: 180_000,
  }, async () => {
    const installation = await start();
    const { api } = installation;
    const ticks = async () => {
      const { body } = await api.get(`/v1${PAGE}/ribbon`);
      return (body as RibbonView).ticks.filter(({ kind }) => kind === 'exit').map(({ at }) => at);
    };
    await evident(installation, 'deploy', APP, '--env', 'CRASH_AFTER_MS=6000', '--detach');
    const page = await open(api, PAGE);
    await stateOf(page, 'failed');
    const seen = await ticks();
    const verdict = page.getByRole('region', { name: 'Verdict' });
    // Each text is read in one piece: the app may exit between two reads.
    await expect
      .poll(() => verdict.innerText(), { timeout: 60_000 })
      .toMatch(/exited with code 1, \d+ times in \d+ s\. It came up[\s\S]*Up for now/);
    expect(await verdict.locator('.serving-wanted .tone-running').count(), 'no failure is green').toBe(0);
    await expect
      .poll(() => page.getByRole('region', { name: 'What we know' }).innerText(), { timeout: 60_000 })
      .toMatch(/^(?!.*r1 serves)[\s\S]*r1 is up for now\./);

    // The page of the past keeps the cause: the code, and the log.
    let failedAt = '';
    const stateNow = async () => {
      const { state, now } = (await api.get(`/v1${PAGE}/status`)).body as Claim;
      failedAt = now;
      return state;
    };
    // A machine under load may be silent for a moment.
    await expect.poll(stateNow, { timeout: 60_000 }).toBe('failed');
    await page.goto(`${new URL(page.url()).origin}${PAGE}?at=${encodeURIComponent(failedAt)}`);
    const cause = page.getByRole('region', { name: /^(?:Its log says|The end of its output)$/ });
    expect(await cause.innerText()).toContain('Exit code 1');
    expect(await cause.innerText()).toContain('out of luck');

    // The list counts it alike, whether it is up or down when that is read.
    await page.goto(new URL('/', page.url()).href);
    const row = page.locator('tr[data-service="crashes-later@local"]');
    await row.getByText(/times in/).waitFor({ timeout: 60_000 });
    const summary = await page.getByRole('region', { name: 'Summary' }).innerText();
    expect(summary).toMatch(/0 of 1 serve, 1 (serves nothing|is up for now)/);
    expect(await row.locator('.tone-running').count()).toBe(0);
    expect(await row.getByRole('link', { name: /^Open the app/ }).count()).toBe(0);
    expect(await row.innerText()).toMatch(
      /exited with code 1, \d+ times in \d+ s|exits with code 1, \d+ times in/,
    );

    // The list goes on counting, though no change of state tells it to.
    const counted = async () => Number(/(\d+) times in/.exec(await row.innerText())?.[1] ?? 0);
    const before = await counted();
    await expect.poll(counted, { timeout: 60_000 }).toBeGreaterThan(before);

    const later = await ticks();
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect(later.slice(0, seen.length), 'no exit has moved').toEqual(seen);
    const [one] = (await api.get(`/v1${PAGE}/instances`)).body.items;
    expect(Math.abs(one.exits.count - (await ticks()).length)).toBeLessThanOrEqual(1);
  });
});

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { Builder, ok, sourceForm, submit } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { axeComplaints } from './axe.ts';
import { describeInBrowser, stateOf } from './browser.ts';

const TIMEOUT = { timeout: 180_000 };
/** More than are drawn at once, with the cause above the newest of them. */
const LINES = 1_600;
const CAUSE = 100;

describeInBrowser('addresses within a page, and out of it', ({ open }) => {
  const servers = useServers();

  const marked = (page: Page) => page.locator('.lines [aria-current="true"]');
  /** The marked line lies within its box, which scrolls. */
  const isInSight = (page: Page) =>
    page.waitForFunction(`(() => {
      const box = document.querySelector('.lines').getBoundingClientRect();
      const line = document.querySelector('.lines [aria-current]')?.getBoundingClientRect();
      return line !== undefined && line.top >= box.top && line.bottom <= box.bottom;
    })()`);
  const lineOf = (page: Page) => new URL(page.url()).searchParams.get('line');

  it(
    'each line of a log has one, to which the cause leads; a commit has that of its page',
    TIMEOUT,
    async () => {
      const { api } = await servers.start();
      const git = { sha: '3f9c2e1aa0', url: 'https://git.example/shop/commit/3f9c2e1aa0' };
      ok(await api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({ git }) }), 202);
      const builder = new Builder(api.as(await api.tokenFor('builder')));
      const lease = await builder.take();
      ok(await builder.api.post(`/v1/leases/${lease.id}/heartbeat`, { fence: lease.fence }));
      const { service, revision, attempt, command, fence } = lease;
      const lines = Array.from({ length: LINES }, (_, i) => ({
        ...{ service, revision, attempt, command, fence, stream: 'build', seq: String(i + 1) },
        at: new Date(Date.parse('2026-11-15T00:00:00Z') + i * 1_000).toISOString(),
        line: i === CAUSE ? 'Error: unknown tag <Callout>' : `step ${i}`,
      }));
      for (let from = 0; from < LINES; from += 400)
        expect(
          ok(await builder.api.post('/v1/logs', { items: lines.slice(from, from + 400) })).accepted,
        ).toBe(400);
      // The page of the service shows the end of it while it is built.
      const building = await open(api, '/services/web@lab');
      await stateOf(building, 'building');
      const tail = building.getByRole('region', { name: 'Build of r1' });
      await tail.getByText(`step ${LINES - 1}`, { exact: true }).waitFor();
      expect(await tail.locator('time').count()).toBe(6);
      ok(
        await submit(builder.api, lease, 'build.failed', {
          code: 'build_failed',
          message: 'ended with code 2',
        }),
      );
      await tail.waitFor({ state: 'detached' });

      const page = await open(api, '/services/web@lab');
      await stateOf(page, 'failed');
      const commits = page.getByRole('link', { name: '3f9c2e1', exact: true });
      await commits.first().waitFor();
      for (const commit of await commits.all()) expect(await commit.getAttribute('href')).toBe(git.url);
      await page.getByRole('link', { name: 'Whole log' }).click();
      await page.waitForURL('**/services/web@lab/logs?line=*');
      await marked(page).waitFor();
      expect(await marked(page).innerText()).toContain('Error: unknown tag <Callout>');
      await isInSight(page);
      await page.getByRole('button', { name: 'Follow' }).waitFor();
      expect(await axeComplaints(page)).toEqual([]);

      // What is sent to somebody else opens the same line.
      const sent = page.url();
      const other = await open(api, `${new URL(sent).pathname}${new URL(sent).search}`);
      await marked(other).waitFor();
      await isInSight(other);
      expect(await marked(other).innerText()).toContain('Error: unknown tag <Callout>');

      // Another line is pressed: nothing moves.
      const before = await page.evaluate(`document.querySelector('.lines').scrollTop`);
      await page
        .locator('.lines > div', { hasText: /step 98$/ })
        .getByRole('link')
        .click();
      await page.waitForURL((url) => url.href !== sent);
      await marked(page).getByText('step 98', { exact: true }).waitFor();
      expect(await page.evaluate(`document.querySelector('.lines').scrollTop`)).toBe(before);
      const pressed = lineOf(page);
      // One link is reached by Tab, and the next ones by arrows.
      expect(await page.locator('.lines a[tabindex="0"]').count()).toBe(1);
      await page.locator('.lines a[tabindex="0"]').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await marked(page).getByText('step 99', { exact: true }).waitFor();
      expect(lineOf(page)).not.toBe(pressed);

      await page.getByRole('button', { name: 'Follow' }).click();
      await page.waitForURL((url) => !url.searchParams.has('line'));
      await page.getByText(`step ${LINES - 1}`, { exact: true }).waitFor();
      await marked(page).waitFor({ state: 'detached' });

      // The whole log as a file, not only the part that is drawn; what is searched for is marked in that.
      expect(await page.locator('.log-day').innerText()).toMatch(/15 Nov/);
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download' }).click();
      const file = await saved;
      expect(file.suggestedFilename()).toBe('web@lab-r1-build.log');
      const text = readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\n');
      expect(text).toHaveLength(LINES);
      expect(text[CAUSE]).toBe('2026-11-15T00:01:40.000Z Error: unknown tag <Callout>');
      await page.getByLabel('Search the log').fill('STEP 159');
      await page.locator('.lines mark').nth(9).waitFor();
      expect(new Set(await page.locator('.lines mark').allInnerTexts())).toEqual(new Set(['step 159']));

      const gone = await open(api, `/services/web@lab/logs?line=build.1.1.99999.1794700800000.`);
      await gone.getByText(/^The line of .* is not among the lines that are kept/).waitFor();
      await gone.getByText(`step ${LINES - 1}`, { exact: true }).waitFor();
    },
  );
});

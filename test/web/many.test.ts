import { expect, it } from 'vitest';
import { useServers } from '../server/servers.ts';
import { describeInBrowser } from './browser.ts';

const COUNT = 5_000;
const AT_ONCE = 50;

describeInBrowser('the web UI, with thousands of services', ({ open }) => {
  const servers = useServers();

  it('it draws only the visible ones of 5,000 rows, and all of them on the map; search, filters and keys reach all', {
    timeout: 400_000,
  }, async () => {
    const { api } = await servers.start();
    const names = Array.from({ length: COUNT }, (_, i) => `s${String(i).padStart(4, '0')}`);
    for (let from = 0; from < COUNT; from += AT_ONCE)
      await Promise.all(
        names.slice(from, from + AT_ONCE).map(async (name) => {
          const answer = await api.post(`/v1/services/${name}@t${name.at(-1)}/deployments`, {
            image: 'web:1',
          });
          expect(answer.status).toBe(202);
        }),
      );
    const page = await open(api, '/');
    await page.locator(`[data-group="in progress"][data-count="${COUNT}"]`).waitFor({ timeout: 120_000 });
    const table = page.locator('table.services');
    expect(await table.getAttribute('aria-rowcount')).toBe(String(COUNT + 1));
    expect(await table.locator('tbody tr').count()).toBeLessThan(120);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.locator('tr[data-service="s4999@t9"]').waitFor();
    expect(await table.locator('tbody tr').count()).toBeLessThan(120);
    await page.getByRole('button', { name: 'Map' }).click();
    await page.locator('.map-cells > [data-service="s4999@t9"]').waitFor();
    expect(await page.locator('.map-cells > [data-form="progress"]').count()).toBe(COUNT);
    await page.getByRole('button', { name: 'Compact' }).click();
    await page.locator('.compact-row[data-index="0"]').waitFor();
    expect(await page.locator('.compact-row').count()).toBeLessThan(160);
    await page.getByRole('button', { name: 'Rows' }).click();
    await table.waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('s0123');
    await page.locator('tr[data-service="s0123@t3"]').waitFor();
    expect(new URL(page.url()).search).toBe('?q=s0123');
    expect(await table.getAttribute('aria-rowcount')).toBe('2');
    await page.goto(`${api.address}/?target=t7&sort=service`);
    await page.locator('tr[data-service="s0007@t7"]').waitFor();
    await page.locator(`table.services[aria-rowcount="${COUNT / 10 + 1}"]`).waitFor({ timeout: 120_000 });
    const byName = page.getByRole('columnheader', { name: 'Service' });
    expect(await byName.getAttribute('aria-sort')).toBe('ascending');
    await byName.getByRole('button').click();
    await page.locator('tr[data-index="0"][data-service="s4997@t7"]').waitFor();
    expect(await byName.getAttribute('aria-sort')).toBe('descending');
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-service');
    // Once more, and the list is by attention again: one heading, and its services by name where all else is the same.
    await byName.getByRole('button').click();
    await page.locator('tr[data-heading="in progress"]').waitFor();
    await page.goto(`${api.address}/?target=t7&sort=service`);
    await page.locator('tr[data-index="0"][data-service="s0007@t7"]').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/services/s0017@t7');
  });
});

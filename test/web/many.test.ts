import { expect, it } from 'vitest';
import { Builder, ok, sourceForm, submit } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { describeInBrowser } from './browser.ts';
import { printFrames } from './frames.ts';

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
    await printFrames(page, `${COUNT} services`, null, 120);
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

  it('what failed is on top as soon as the first page was read, whatever its name', {
    timeout: 120_000,
  }, async () => {
    const { api } = await servers.start();
    const names = Array.from({ length: 220 }, (_, i) => `s${String(i).padStart(4, '0')}`);
    for (const name of names)
      expect((await api.post(`/v1/services/${name}@lab/deployments`, { image: 'web:1' })).status).toBe(202);
    ok(await api.call('POST', '/v1/services/zz@lab/deployments', { raw: await sourceForm({}) }), 202);
    const builder = new Builder(api.as(await api.tokenFor('builder')));
    const failed = { code: 'build_command_failed', message: 'exit 1' };
    ok(await submit(builder.api, await builder.take(), 'build.failed', failed));

    const page = await open(api, '/model');
    await page.getByRole('link', { name: 'Services' }).waitFor();
    let release = () => {};
    const isReleased = new Promise<void>((done) => {
      release = done;
    });
    // Every page by name waits, so that only the first page by attention is there.
    await page.route('**/v1/services?limit=*', async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Services' }).click();
    await page.locator('tr[data-index="0"][data-service="zz@lab"]').waitFor();
    await page.getByText(', so far').waitFor();
    release();
    await page.locator('[data-group="in progress"][data-count="220"]').waitFor();
    await page.locator('tr[data-index="0"][data-service="zz@lab"]').waitFor();
  });
});

import { expect, it } from 'vitest';
import { useServers } from '../server/servers.ts';
import { describeInBrowser } from './browser.ts';

const COUNT = 1_500;
const AT_ONCE = 50;

describeInBrowser('the page of targets, with hundreds of them', ({ open }) => {
  const servers = useServers();

  it('it says once which have no agent, draws only the rows in sight, and keeps heads at the top', {
    timeout: 240_000,
  }, async () => {
    const { api } = await servers.start();
    const names = Array.from({ length: COUNT }, (_, i) => String(i).padStart(4, '0'));
    for (let from = 0; from < COUNT; from += AT_ONCE)
      await Promise.all(
        names.slice(from, from + AT_ONCE).map(async (name) => {
          const answer = await api.post(`/v1/services/s${name}@t${name}/deployments`, { image: 'web:1' });
          expect(answer.status).toBe(202);
        }),
      );
    const page = await open(api, '/targets');
    const mute = page.getByRole('button', { name: '1,500 targets have no agent' });
    await mute.waitFor({ timeout: 60_000 });
    expect(await page.getByText('have no agent').count(), 'in the head of the page, and once here').toBe(2);
    expect(await page.locator('[data-target]').count()).toBe(0);
    await page.locator('[data-command]').first().waitFor();
    await page.locator('.commands .gap').first().waitFor({ state: 'attached' });
    expect(await page.locator('[data-command]').count()).toBeLessThan(80);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.locator('[data-command^="s1499@t1499"]').waitFor();
    expect(await page.locator('[data-command]').count()).toBeLessThan(80);
    await page.evaluate('scrollBy(0, -3000)');
    await page.waitForFunction(
      "document.querySelector('.commands thead th').getBoundingClientRect().top === 0",
    );

    await page.evaluate('scrollTo(0, 0)');
    await mute.click();
    await page.locator('[data-target="t0000"]').waitFor();
    await page.locator('.targets .gap').first().waitFor({ state: 'attached' });
    expect(await page.locator('[data-target]').count()).toBeLessThan(80);
    const sought = await open(api, '/targets?target=t0007');
    await sought.locator('[data-target="t0007"] .target-open').waitFor({ timeout: 60_000 });
    expect(await sought.locator('[data-target]').count()).toBe(1);

    const slip = await open(api, '/services/s012@t0012');
    await slip.getByRole('heading', { name: 'No service “s012@t0012”' }).waitFor();
    await slip.getByRole('link', { name: 's0012@t0012' }).click();
    await slip.waitForURL((url) => url.pathname === '/services/s0012@t0012');
  });
});

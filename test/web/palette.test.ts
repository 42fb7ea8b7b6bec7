import { expect, it } from 'vitest';
import { ok } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { axeComplaints } from './axe.ts';
import { describeInBrowser } from './browser.ts';

const TIMEOUT = { timeout: 180_000 };
const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describeInBrowser('the palette of the web UI', ({ open }) => {
  const servers = useServers();

  it(
    'finds services, actions and pages by keys alone, and says why something is not possible',
    TIMEOUT,
    async () => {
      const { api } = await servers.start();
      for (const name of ['web', 'webshop'])
        ok(await api.post(`/v1/services/${name}@lab/deployments`, { image: IMAGE }), 202);
      const page = await open(api, '/');
      await page.locator('[data-service="web@lab"]').first().waitFor();
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: 'Search or run a command' });
      await field.waitFor();
      await page.keyboard.type('webs');
      const first = page.getByRole('option', { name: /^webshop@lab/ });
      await first.waitFor();
      expect(await first.getAttribute('aria-selected')).toBe('true');
      expect(await field.getAttribute('aria-activedescendant')).toBe(await first.getAttribute('id'));
      expect(await axeComplaints(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/services/webshop@lab');

      // Nothing of it ever succeeded: a rollback is not possible, and Enter does not lead there.
      await page.getByRole('button', { name: 'Search or run a command' }).click();
      await field.waitFor();
      const why = page.getByRole('option', { name: /^Roll back.*not possible/ });
      await why.waitFor();
      expect(await why.getAttribute('aria-disabled')).toBe('true');
      await page.keyboard.type('cancel');
      await page.getByRole('option', { name: /^Cancel r1/ }).waitFor();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Cancel r1 of webshop@lab?' });
      expect(await dialog.innerText()).toContain('Target lab');
      expect(new URL(page.url()).search, 'an address that is sent on asks nothing').toBe('');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });

      await page.keyboard.press('Control+k');
      await page.keyboard.type('targets');
      await page.getByRole('option', { name: /^Targets/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL('**/targets');
    },
  );

  it('loses no letter that is typed before it is loaded', TIMEOUT, async () => {
    const { api } = await servers.start();
    for (const name of ['web', 'webshop'])
      ok(await api.post(`/v1/services/${name}@lab/deployments`, { image: IMAGE }), 202);
    const page = await open(api, '/');
    await page.locator('[data-service="web@lab"]').first().waitFor();
    let load = () => {};
    const isLet = new Promise<void>((go) => {
      load = go;
    });
    await page.route('**/assets/palette-*.js', async (route) => {
      await isLet;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('web');
    load();
    await page.keyboard.type('shop');
    await page.getByRole('combobox', { name: 'Search or run a command' }).waitFor();
    await page.keyboard.type('@l');
    await page.getByRole('option', { name: /^webshop@lab/ }).waitFor();
    expect(await page.getByRole('combobox').inputValue()).toBe('webshop@l');
  });

  it('offers a viewer no page and no action that would be refused', TIMEOUT, async () => {
    const { api } = await servers.start();
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const page = await open(api.as(await api.tokenFor('viewer')), '/services/web@lab');
    await page.locator('main h1').waitFor();
    await page.keyboard.press('Control+k');
    await page
      .getByRole('option', { name: /not possible: your token may only read/ })
      .first()
      .waitFor();
    expect(await page.getByRole('option', { name: /^Targets/ }).count()).toBe(0);
    expect(
      await page
        .getByRole('option', { name: /^(Retry|Restart|Scale|Tear down|Cancel)(?!.*not possible)/ })
        .count(),
    ).toBe(0);
  });
});

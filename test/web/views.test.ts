import { expect, it } from 'vitest';
import { ok } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { describeInBrowser } from './browser.ts';

const TIMEOUT = { timeout: 120_000 };
const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describeInBrowser('views of the list of services', ({ open }) => {
  const servers = useServers();

  it('finds by name, commit and author, and keeps what was found under a name', TIMEOUT, async () => {
    const { api } = await servers.start();
    for (const [name, author, sha] of [
      ['web', 'Ana Ruiz', 'a1b2c3d4e5'],
      ['jobs', 'Mei Lin', 'f6a7b8c9d0'],
    ])
      ok(
        await api.post(`/v1/services/${name}@lab/deployments`, {
          ...{ image: IMAGE, git: { sha, author, message: 'Change something' } },
        }),
        202,
      );
    const page = await open(api, '/');
    const row = (name: string) => page.locator(`[data-service="${name}@lab"]`).first();
    await row('jobs').waitFor();
    const field = page.getByRole('searchbox', { name: 'Name, commit or author' });
    for (const text of ['mei', 'f6a7', 'job']) {
      await field.fill(text);
      await row('web').waitFor({ state: 'detached' });
      await row('jobs').waitFor();
      await field.fill('');
      await row('web').waitFor();
    }
    await field.fill('mei');
    await page.waitForURL(/\?.*q=mei/);
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Of Mei');
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    const views = page.getByRole('navigation', { name: 'Views' });
    await views.getByRole('link', { name: 'All' }).click();
    await row('web').waitFor();
    await page.reload();
    await views.getByRole('link', { name: 'Of Mei' }).click();
    await row('web').waitFor({ state: 'detached' });
    expect(await row('jobs').count()).toBe(1);
    await page.getByRole('button', { name: 'Forget this view' }).click();
    await views.getByRole('link', { name: 'Of Mei' }).waitFor({ state: 'detached' });
  });
});

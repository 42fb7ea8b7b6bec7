import { expect, it } from 'vitest';
import { ok } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { describeInBrowser } from './browser.ts';
import { printFrames } from './frames.ts';

const COUNT = 10_000;
const PAGE = 200;
const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describeInBrowser('the evidence of a service, with thousands of records', ({ open }) => {
  const servers = useServers();

  it('draws only the visible ones of 10,000 records, and scrolls to the oldest', {
    timeout: 240_000,
  }, async () => {
    const { api } = await servers.start();
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const page = await open(api, '/services/web@lab');
    // The records are made up, as the server would answer them: to write so many takes longer than the test.
    const [sample] = ok(await api.get('/v1/services/web@lab/evidence')).items;
    await page.route('**/v1/services/web@lab/evidence?*', async (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
      const items = Array.from({ length: PAGE }, (_, i) => ({
        ...sample,
        id: `made${from + i}`,
        position: String(1_000_000 + from + i),
        kind: 'build.progress',
        receivedAt: new Date(Date.parse(sample.receivedAt) + Math.floor((from + i) / 10)).toISOString(),
      }));
      const cursor = from + PAGE < COUNT ? String(from + PAGE) : null;
      await route.fulfill({ json: { items, cursor } });
    });
    await page.getByRole('link', { name: 'Evidence', exact: true }).click();
    const evidence = page.getByRole('region', { name: 'Evidence' });
    await evidence.getByRole('button', { name: 'All', exact: true }).click();
    await evidence.locator(`table[aria-rowcount="${COUNT + 1}"]`).waitFor({ timeout: 120_000 });
    expect(await evidence.locator('tbody tr').count()).toBeLessThan(120);
    await printFrames(page, `${COUNT} records`, '.record-rows');
    expect(await evidence.locator('tbody tr').count()).toBeLessThan(120);
    await page.evaluate(`document.querySelector('.record-rows').scrollTop = 1e9`);
    await evidence.locator(`tr[aria-rowindex="${COUNT + 1}"]`).waitFor({ timeout: 60_000 });
  });
});

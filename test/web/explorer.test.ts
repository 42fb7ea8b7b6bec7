import { expect, it } from 'vitest';
import { useServers } from '../server/servers.ts';
import { axeComplaints } from './axe.ts';
import { describeInBrowser } from './browser.ts';
import { overlaps } from './overlaps.ts';

describeInBrowser('the explorer of GraphQL', ({ open }) => {
  const servers = useServers();

  it('asks as who is signed in, and leads through the types', { timeout: 120_000 }, async () => {
    const { api } = await servers.start();
    const page = await open(api, '/explorer');
    const ask = page.getByRole('button', { name: 'Ask' });
    const answer = page.locator('main pre');
    await page.getByLabel('Document').fill('{ model { states } }');
    await ask.click();
    await answer.getByText('"waiting_for_worker"').first().waitFor();
    await page.getByLabel('Document').fill('query One($ref: String!) { service(ref: $ref) { ref } }');
    await page.getByLabel('Variables, as JSON').fill('{"ref": ');
    await ask.click();
    await page.getByText('The variables are no JSON.').waitFor();
    await page.getByLabel('Variables, as JSON').fill('{"ref": "nobody"}');
    await page.getByLabel('Variables, as JSON').press('Control+Enter');
    await answer.getByText('"not_found"').waitFor();
    const schema = page.getByRole('region', { name: 'Schema' });
    await schema.getByRole('button', { name: 'ServiceConnection!' }).click();
    await schema.getByRole('button', { name: '[Service!]!' }).click();
    expect(await schema.getByLabel('Type').inputValue()).toBe('Service');
    expect([...(await axeComplaints(page)), ...(await overlaps(page))]).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    expect(await overlaps(page)).toEqual([]);
  });
});

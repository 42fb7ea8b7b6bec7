import { expect, it } from 'vitest';
import { ok } from '../server/parties.ts';
import { useInstallations, webApp } from '../up/installation.ts';
import { axeComplaints } from './axe.ts';
import { describeInBrowser, stateOf } from './browser.ts';
import { overlaps } from './overlaps.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

/** What a page shows once it has read it. */
const CONTENT = 'table, .machine, .compact-line, .map-cells, .count[aria-pressed="true"], [data-webhook]';

const PATHS = [
  '/',
  // With all six counts.
  '/?show=needs+platform',
  '/?as=compact',
  '/?as=map',
  '/services/web@local',
  '/services/web@local/evidence',
  '/services/web@local/revisions',
  '/services/web@local/logs',
  '/services/web@local/configuration',
  '/targets',
  '/model?state=failed&q=lease',
  '/settings/tokens',
  '/settings/people',
  '/settings/webhooks',
] as const;

/** The dark theme differs by its colours alone: its places and names are those of the light one. */
const LOOKS = [
  { colorScheme: 'light', width: 1280, rules: 'all' },
  { colorScheme: 'light', width: 360, rules: 'all' },
  { colorScheme: 'dark', width: 1280, rules: 'colours' },
] as const;

describeInBrowser('the web UI is accessible', ({ open }) => {
  const { start, evidentJson, folder } = useInstallations();

  it('every page passes axe in both themes, on a desktop and on a phone', { timeout: 240_000 }, async () => {
    const installation = await start();
    await evidentJson(installation, 'deploy', folder(webApp('one')), '--service', 'web');
    // Rows that have neighbours: what can be pressed in them must be large enough, or far enough apart.
    for (const name of ['api', 'docs'])
      ok(await installation.api.post(`/v1/services/${name}@lab/deployments`, { image: IMAGE }), 202);
    ok(
      await installation.api.post('/v1/webhooks', { url: 'https://example.com/', events: ['settled'] }),
      201,
    );
    const all: string[] = [];
    for (const { colorScheme, width, rules } of LOOKS) {
      const page = await open(installation.api, '/', { colorScheme, viewport: { width, height: 800 } });
      for (const path of PATHS) {
        const where = `${path} ${colorScheme} ${width}`;
        await page.goto(`${installation.api.address}${path}`);
        await page.locator('main h1').first().waitFor();
        if (path.startsWith('/services/')) await stateOf(page, 'running');
        else await page.locator(`main :is(${CONTENT})`).first().waitFor();
        all.push(...(await axeComplaints(page, rules)).map((text) => `${where}: ${text}`));
        if (await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
          all.push(`${where}: something sticks out`);
        if (rules === 'all')
          all.push(...(await overlaps(page)).map((text) => `${where}: too close: ${text}`));
      }
      await page.context().close();
    }
    expect(all).toEqual([]);
  });

  it('the sign-in page passes axe, and shows why a token is refused', { timeout: 120_000 }, async () => {
    const installation = await start();
    const { link } = ok(await installation.api.post('/v1/sessions/links'), 201) as { link: string };
    ok(await installation.api.post('/v1/sessions', { link }), 201);
    const page = await open(null, `${installation.api.address}/#link=${link}`);
    await page.getByLabel('Token').waitFor();
    await page.getByText('This sign-in link was already used').waitFor();
    expect(await axeComplaints(page)).toEqual([]);
    await page.getByLabel('Token').fill('nonsense');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This token is not known, has expired or was revoked.').waitFor();
    await page.getByLabel('Token').fill(installation.api.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Services' }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Command line' }).click();
    await page.getByRole('button', { name: 'Make the line' }).click();
    const line = await page.getByLabel('Run this in the terminal').inputValue();
    expect(await axeComplaints(page)).toEqual([]);
    const made = /^evident login '.*#link=(.+)'$/.exec(line)?.[1];
    ok(await installation.api.call('POST', '/v1/sessions', { token: null, body: { link: made } }), 201);
  });
});

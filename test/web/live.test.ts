import { expect, it } from 'vitest';
import { useInstallations, webApp } from '../up/installation.ts';
import { badge, describeInBrowser, stateOf } from './browser.ts';

const TIMEOUT = { timeout: 180_000 };

describeInBrowser('the web UI follows live changes', ({ open }) => {
  const { start, evidentJson, evident, cli, folder } = useInstallations();
  type Installation = Awaited<ReturnType<typeof start>>;
  const visit = ({ api }: Installation, path: string) => open(api, path);
  const deploy = (installation: Installation, dir: string, ...args: readonly string[]) =>
    evidentJson(installation, 'deploy', dir, '--service', 'web', ...args);

  it(
    'it signs in by the one-time link, lists the services, and adds a new one as it comes',
    TIMEOUT,
    async () => {
      const installation = await start();
      const page = await visit(installation, '/');
      await page.getByText('Nothing is deployed yet').waitFor();
      await deploy(installation, folder(webApp('one')));
      const row = page.locator('tr[data-service="web@local"]');
      await row.locator('[data-state="running"]').waitFor();
      expect(await row.locator('.c-ready').innerText()).toBe('1/1');
      await row.getByRole('link', { name: 'web@local' }).click();
      await stateOf(page, 'running');
      expect(new URL(page.url()).pathname).toBe('/services/web@local');

      await page.getByRole('link', { name: 'Configuration', exact: true }).click();
      await page.getByRole('button', { name: 'Add a variable' }).click();
      await page.getByLabel('Name of new variable').fill('DB_URL');
      await page.getByLabel('Value of DB_URL').fill('postgres://');
      await page.getByLabel('DB_URL is a secret').check();
      await page.getByLabel('Copies').fill('2');
      await page.getByRole('button', { name: 'Show what it changes' }).click();
      const changed = await page.getByRole('region', { name: 'What this changes' }).innerText();
      expect(changed).toMatch(/DB_URL\s+not set\s+secret/);
      expect(changed).not.toContain('postgres://');
      await page.getByRole('button', { name: 'Deploy r2' }).click();
      await page.waitForURL('**/services/web@local');
      await page.getByText('Running r2. Both copies are ready.').waitFor({ timeout: 60_000 });
    },
  );

  it(
    'it follows a deploy; of a broken one it shows what still serves; a button rolls back',
    TIMEOUT,
    async () => {
      const installation = await start();
      await deploy(installation, folder(webApp('one')));
      const page = await visit(installation, '/services/web@local');
      await stateOf(page, 'running');
      const broken = evident(
        installation,
        'deploy',
        folder(webApp('two', 'throw new Error("DATABASE_URL is not set");')),
        '--service',
        'web',
      );
      await stateOf(page, 'starting');
      await stateOf(page, 'failed');
      expect((await broken).code).toBe(1);
      const sentence = await page.locator('.sentence').innerText();
      expect(sentence).toContain('r2 does not stay up. r1 still serves.');
      const why = page.getByRole('region', { name: 'Its log says' });
      expect(await why.locator('.headline > span').innerText()).toBe('Error: DATABASE_URL is not set');
      await why.getByRole('link', { name: 'Whole log' }).click();
      await page.getByRole('log', { name: 'run log' }).getByText('DATABASE_URL is not set').first().waitFor();
      await page.getByRole('link', { name: 'Overview' }).click();
      const summary = page.getByRole('region', { name: 'What we know' });
      expect(await summary.innerText()).toMatch(/r1 serves\./);
      const safe = page.getByRole('region', { name: 'What is safe next' });
      expect(await safe.innerText(), 'the words name what the first button does').toContain(
        'no hurry while r1 serves: set DATABASE_URL and deploy again.',
      );
      expect(await safe.locator('.primary').allInnerTexts(), 'one button is first').toEqual([
        'Set DATABASE_URL',
      ]);
      expect(await safe.locator('.second').innerText(), 'nobody has to go back').toBe('Roll back to r1');
      expect(await safe.locator('[data-action="teardown"]').count(), 'nobody advises it').toBe(0);
      const others = page.getByRole('region', { name: 'Other actions' });
      expect(await others.locator('[data-action="teardown"]').count()).toBe(1);
      const open = page.getByRole('region', { name: 'What we do not know' });
      expect(await open.innerText()).toContain('Its log says “Error: DATABASE_URL is not set”.');

      await page.locator('button[data-action="rollback"]').click();
      const dialog = page.getByRole('dialog');
      const question = await dialog.innerText();
      expect(question).toContain('Roll back web@local to r1?');
      expect(question, 'to whom, and what becomes of what serves').toMatch(
        /r1, seen \d+ s ago\. It goes on serving until[\s\S]*Target local/,
      );
      await dialog.getByRole('button', { name: 'Roll back' }).click();
      await stateOf(page, 'running');
      expect(await page.getByRole('region', { name: 'Verdict' }).innerText()).toContain('Running r3.');
      expect(await page.getByRole('row', { name: /^r3 / }).innerText()).toContain('Rollback');
    },
  );

  it('a button cancels a build, and an action that would be refused shows why', TIMEOUT, async () => {
    const installation = await start();
    await deploy(installation, folder(webApp('one')));
    const slow = folder({ ...webApp('two'), 'evident.yaml': 'build: ["sleep", "600"]\n' });
    const waits = cli(installation, 'deploy', slow, '--service', 'web');
    const page = await visit(installation, '/services/web@local');
    await stateOf(page, 'building');
    const safe = page.getByRole('region', { name: 'What is safe next' });
    expect(await safe.innerText()).toContain('not possible now: it is still in progress');
    await page.locator('button[data-action="cancel"]').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await stateOf(page, 'cancelled');
    expect(await waits.code).toBe(4);
    expect(await safe.innerText(), 'nobody looks for a cancel of what has ended').not.toContain('Cancel');
  });

  it('it shows text from apps as text only (F108)', TIMEOUT, async () => {
    const installation = await start();
    const evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
    await deploy(installation, folder(webApp('one', `console.log(${JSON.stringify(evil)});`)));
    const page = await visit(installation, '/services/web@local/logs');
    await page.getByRole('log').getByText('<script>').waitFor();
    expect(await page.evaluate(() => (globalThis as { hit?: number }).hit)).toBeUndefined();
    expect(await badge(page).innerText()).toContain('Running');
  });

  it('what still serves beside a revision that fails has its log, too', TIMEOUT, async () => {
    const installation = await start();
    await deploy(installation, folder(webApp('one', 'console.log("the first speaks");')));
    const broken = { ...webApp('two'), 'app.js': 'throw new Error("the second is broken");' };
    expect(await cli(installation, 'deploy', folder(broken), '--service', 'web').code).toBe(1);
    const page = await visit(installation, '/services/web@local/logs');
    const log = page.getByRole('log');
    await log.getByText('the second is broken').first().waitFor();
    await page.getByRole('button', { name: 'r1 serves' }).click();
    await log.getByText('the first speaks').waitFor();
    expect(await log.innerText()).not.toContain('the second is broken');
  });

  it(
    'a log marks lines that name an error, parts runs by the exits that were seen, and shows one instance alone',
    TIMEOUT,
    async () => {
      const installation = await start();
      const files = {
        ...webApp('one'),
        'app.js': 'console.log("begins"); throw new Error("DATABASE_URL is not set");',
        'evident.yaml': 'replicas: 2\n',
      };
      expect(await cli(installation, 'deploy', folder(files), '--service', 'web').code).toBe(1);
      const page = await visit(installation, '/services/web@local/logs');
      const log = page.getByRole('log');
      await log.locator('.error-line', { hasText: 'Error: DATABASE_URL is not set' }).first().waitFor();
      await log.locator('.run-end', { hasText: 'an exit was seen' }).first().waitFor();
      expect(await log.locator('.error-line', { hasText: 'begins' }).count()).toBe(0);
      const choice = page.getByLabel('Instance');
      const [all = '', first = ''] = await choice.locator('option').allInnerTexts();
      expect(all).toBe('All 2 instances');
      await choice.selectOption(first);
      await log.locator('div > span.soft').first().waitFor({ state: 'detached' });
      await log.locator('.error-line').first().waitFor();
    },
  );
});

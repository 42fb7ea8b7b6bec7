import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { Agent, ok } from '../server/parties.ts';
import { Receiver } from '../server/receiver.ts';
import { useServers } from '../server/servers.ts';
import { describeInBrowser } from './browser.ts';

const TIMEOUT = { timeout: 180_000 };
const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;
const TIMES = ['--fresh-for', '3000', '--report-every', '500'];

/** The presence of an agent or a worker, by the word that labels its shape. */
const presence = (page: Page, of: string, is: string) =>
  page.locator(`${of} [data-presence="${is}"]`).first().waitFor({ timeout: 30_000 });

describeInBrowser('the web UI, for operators and admins', ({ open }) => {
  const servers = useServers();

  it(
    'the targets page shows heard, then silent since an instant; under a silent server everything as last known',
    TIMEOUT,
    async () => {
      const { api, process } = await servers.start({ args: TIMES });
      const agent = new Agent(api.as(await api.tokenFor('agent')));
      await agent.register();
      await agent.sees([]);
      const page = await open(api, '/targets');
      const lab = page.locator('[data-target="lab"]');
      await lab.waitFor();
      await presence(page, '[data-target="lab"]', 'stale');
      // The advice is in sight without a click.
      expect(await lab.innerText()).toMatch(/What to do\s+Look at lab itself.+silent since \d\d:\d\d:\d\d/s);
      await lab.getByRole('button', { name: 'lab' }).press('Enter');
      expect(await lab.innerText()).not.toContain('What to do');
      await agent.heartbeat();
      await presence(page, '[data-target="lab"]', 'alive');
      await presence(page, '[data-worker="sweeper"]', 'online');
      process.kill('SIGSTOP');
      await presence(page, '[data-worker="sweeper"]', 'unknown');
      expect(await page.locator('[data-worker="sweeper"]').innerText()).toContain('last known online');
      process.kill('SIGCONT');
      await presence(page, '[data-worker="sweeper"]', 'online');
    },
  );

  it(
    'the commands page shows who each command waits for, and the cause in the words of the claim',
    TIMEOUT,
    async () => {
      const { api } = await servers.start();
      const page = await open(api, '/targets');
      await page.getByText('No command is waiting or being carried out.').first().waitFor();
      ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
      const row = page.locator('[data-command="web@lab.r1.a1.apply.1"]');
      await row.getByText('Nobody who could take it is online.').waitFor();
      expect(await row.innerText()).toMatch(/apply web@lab r1\.1.*agent.*nobody/s);
    },
  );

  it('the model page is navigated by keys, opened by address, and searched', TIMEOUT, async () => {
    const { api } = await servers.start();
    const page = await open(api, '/model#running');
    await page.getByText('What was requested runs, answers, and has been stable.').last().waitFor();
    expect(new URL(page.url()).search).toBe('?state=running');
    await page.locator('[data-node="building"]').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'artifact ready' }).waitFor();
    expect(new URL(page.url()).search).toBe('?state=artifact_ready');
    expect(await page.locator('.seven dt').allInnerTexts()).toHaveLength(7);
    await page.goBack();
    await page.getByRole('heading', { name: 'running' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('oom_killed');
    await page.getByText('1 found').waitFor();
    await page.getByText('The app used more memory than it may.').waitFor();
  });

  it(
    'the tokens page shows a token once, and revokes it; a target in use shows what uses it',
    TIMEOUT,
    async () => {
      const { api } = await servers.start();
      ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
      const page = await open(api, '/tokens');
      await page.getByLabel('Role').selectOption('viewer');
      await page.getByLabel('Name').fill('vera');
      await page.getByRole('button', { name: 'Make token' }).click();
      const token = await page.getByRole('textbox', { name: 'The new token' }).inputValue();
      const vera = api.as(token);
      expect((await vera.get('/v1/sessions')).body).toMatchObject({ role: 'viewer', name: 'vera' });
      await page.getByRole('button', { name: 'I have kept it' }).click();
      expect(await page.content()).not.toContain(token);

      await page.getByRole('button', { name: 'Revoke vera' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('1 revoked or expired').waitFor();
      expect((await vera.get('/v1/sessions')).status).toBe(401);

      await page.getByRole('button', { name: 'Remove lab' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('web@lab is to run there; tear it down first.').waitFor();
      await page.getByRole('button', { name: 'Leave it' }).click();
      await page.getByLabel('Target').last().fill('edge');
      await page.getByRole('button', { name: 'Declare target' }).click();
      await page.locator('[data-target="edge"]').waitFor();
      await page.getByRole('button', { name: 'Remove edge' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.locator('[data-target="edge"]').waitFor({ state: 'detached' });
    },
  );

  it('people are listed by the names on their tokens, and lead to what they deployed', TIMEOUT, async () => {
    const { api } = await servers.start();
    ok(await api.post('/v1/tokens', { role: 'deployer', name: 'ana', target: 'lab', service: '*' }), 201);
    ok(await api.post('/v1/tokens', { role: 'builder', name: 'builder-9' }), 201);
    const page = await open(api, '/settings/people');
    const ana = page.locator('[data-person="ana"]');
    await ana.getByText('target lab').waitFor();
    expect(await ana.getByText('never').count(), 'she was not seen yet').toBe(1);
    expect(await page.locator('[data-person="builder-9"]').count(), 'no builder is a person').toBe(0);
    await ana.getByRole('link', { name: 'Services that ana deployed' }).click();
    await page.waitForURL(/\/\?by=ana$/);
  });

  it('the rule of a cluster is read and edited, and stopping asks first', TIMEOUT, async () => {
    const { api } = await servers.start();
    ok(await api.post('/v1/targets', { target: 'prod', runtime: 'kubernetes' }), 201);
    const page = await open(api, '/settings/observation');
    const rule = page.getByRole('region', { name: 'Rule of prod' });
    await rule.getByText('Observes nothing that other tools deploy.').waitFor();
    await rule.getByRole('button', { name: 'Edit the rule of prod' }).click();
    await rule.getByLabel('Namespaces, or * for all').fill('shop, data');
    await rule.getByLabel('Labels').fill('no labels at all =');
    await rule.getByRole('button', { name: 'Save the rule' }).click();
    await rule.getByRole('alert').getByText('labels, such as app=web').waitFor();
    await rule.getByLabel('Labels').fill('app=web');
    await rule.getByRole('button', { name: 'Save the rule' }).click();
    await rule.getByText('Observes data, shop, with app=web.').waitFor();
    expect(ok(await api.get('/v1/targets/prod/observation'))).toMatchObject({
      version: 1,
      selector: 'app=web',
    });
    await rule.getByRole('button', { name: 'Observe nothing at prod' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Observe nothing' }).click();
    await rule.getByText('Observes nothing that other tools deploy.').waitFor();
  });

  it('a webhook is added with its secret once, tested, seen delivered and removed', TIMEOUT, async () => {
    const { api } = await servers.start({ args: ['--webhook-allow', '127.0.0.0/8'] });
    const receiver = await Receiver.start();
    const page = await open(api, '/settings/webhooks');
    await page.getByText('Nobody is told yet.').waitFor();
    const form = page.getByRole('region', { name: 'Add a webhook' });
    await form.getByLabel('Address').fill('https://10.0.0.1/');
    await form.getByRole('button', { name: 'Add webhook' }).click();
    await form.getByRole('alert').getByText('10.0.0.1 is not on the internet').waitFor();
    await form.getByLabel('Address').fill(receiver.url);
    await form.getByLabel('Format').selectOption('slack');
    await form.getByRole('button', { name: 'Add webhook' }).click();
    const secret = page.getByRole('region', { name: 'The new secret' }).locator('pre');
    expect(await secret.innerText()).toMatch(/^whsec_/);
    const [{ id }] = ok(await api.get('/v1/webhooks')).items;
    const card = page.locator(`[data-webhook="${id}"]`);
    expect(await card.innerText()).toMatch(
      /Slack: deploys that succeeded or failed, .*Everything was delivered/s,
    );
    expect(await card.innerText(), 'the path of a chat is a secret').not.toContain('of-a-chat');
    await card.getByText('The newest deliveries').click();
    await card.getByText('Nothing was sent yet. Test it.').waitFor();
    await card.getByRole('button', { name: 'Test' }).click();
    const row = card.getByRole('row').filter({ hasText: 'platform' });
    await row.getByText('delivered').waitFor();
    expect(receiver.messages).toHaveLength(1);
    await card.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Nobody is told yet.').waitFor();
  });

  it(
    'a role that is too low is shown as such, and the page sends no request that would be refused',
    TIMEOUT,
    async () => {
      const { api } = await servers.start();
      const viewer = api.as(await api.tokenFor('viewer'));
      const page = await open(viewer, '/');
      const requested: string[] = [];
      page.on('request', (request) => requested.push(new URL(request.url()).pathname));
      for (const [path, role] of [
        ['/targets', 'operator'],
        ['/settings/tokens', 'admin'],
        ['/settings/observation', 'admin'],
        ['/settings/people', 'admin'],
        ['/settings/webhooks', 'admin'],
      ]) {
        await page.goto(`${api.address}${path}`);
        await page.getByText(`This page needs the role ${role}.`).waitFor();
      }
      expect(
        requested.filter((path) => /^\/v1\/(agents|workers|commands|tokens|targets|webhooks)/.test(path)),
      ).toEqual([]);
    },
  );

  it('an app at a port of its own gets the cookie, and can do nothing with it (F127)', TIMEOUT, async () => {
    const { api } = await servers.start();
    const page = await open(api, '/');
    await page.getByText('Nothing is deployed yet').waitFor();
    const stolen: string[] = [];
    const app = createServer(({ headers }, res) => {
      if (headers.cookie !== undefined) stolen.push(headers.cookie);
      res.end('an app');
    });
    await once(app.listen(0, '127.0.0.1'), 'listening');
    try {
      await page.goto(`http://localhost:${(app.address() as AddressInfo).port}/`);
      await page.getByText('an app').waitFor();
    } finally {
      app.closeAllConnections();
      app.close();
    }
    expect(stolen.join(), 'cookies ignore ports').toMatch(/evident_session=/);
    for (const cookie of stolen)
      for (const path of ['/v1/sessions', '/v1/services', '/v1/events'])
        expect((await api.get(path, { token: null, headers: { cookie } })).status, path).toBe(401);
    await page.goto(`${api.address}/`);
    await page.getByText('Nothing is deployed yet').waitFor();
    await page.locator('.liveness[data-live="true"]').waitFor();
  });

  it('a session that this origin did not open is not believed (F127)', TIMEOUT, async () => {
    const { api } = await servers.start();
    const page = await open(api, '/');
    await page.getByText('Nothing is deployed yet').waitFor();
    // As an app on the same host name would set it.
    const other = await api.call('POST', '/v1/sessions', { token: null, body: { token: api.token } });
    const [name = '', value = ''] = (other.headers.get('set-cookie') ?? '').split(/[=;]/);
    await page.context().addCookies([{ name, value, domain: 'localhost', path: '/', sameSite: 'Strict' }]);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.getByLabel('Token').fill(api.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Nothing is deployed yet').waitFor();
    await page.goto(`${api.address}/`);
    await page.getByText('Nothing is deployed yet').waitFor();
    expect(new URL(page.url()).hostname).toBe('localhost');
  });

  it(
    'an address that leads nowhere shows that once, and the page is live all the same',
    TIMEOUT,
    async () => {
      const { api } = await servers.start();
      ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
      const page = await open(api, '/nothing');
      await page.getByText('There is no such page.').waitFor();
      await page.locator('.liveness[data-live="true"]').waitFor();
      const requested: string[] = [];
      page.on('request', (request) => requested.push(new URL(request.url()).pathname));
      await page.goto(`${api.address}/services/nope@lab`);
      await page.getByRole('heading', { name: 'No service “nope@lab”' }).waitFor();
      await page.locator('.liveness[data-live="true"]').waitFor();
      // A stream that is reopened after each refusal would send hundreds of requests in a second.
      await page.waitForTimeout(1_000);
      expect(requested.filter((path) => path === '/v1/events').length).toBeLessThan(3);
      expect(requested.filter((path) => path === '/v1/services/nope@lab').length).toBeLessThan(6);
      await api.post('/v1/services/web@local/deployments', { image: IMAGE });
      await page.goto(`${api.address}/services/web@lab?record=99999`);
      await page.getByText('No record about this service stands at position 99999.').waitFor();
      await page.goto(`${api.address}/services/web`);
      await page.waitForURL('**/services/web@local');
      await page.getByRole('heading', { name: /^web@local/ }).waitFor();
      await page.goto(`${api.address}/?state=nonsense&q=xyzzy`);
      await page.getByRole('button', { name: 'Show all 2' }).click();
      await page.locator('tr[data-service="web@lab"]').waitFor();
    },
  );
});

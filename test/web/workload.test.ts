import { expect, it } from 'vitest';
import { ok } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { describeInBrowser, stateOf } from './browser.ts';

const WEB = 'web.shop@prod';
const TEMPLATE = '6cd8b46898';

const pod = (name: string, changed: object) => ({
  ...{ uid: name, name, service: WEB, revision: null, attempt: null, fence: null, template: TEMPLATE },
  ...{ phase: 'running', ready: true, restarts: 0, containers: [], saidBy: 'kubelet', probed: true },
  ...changed,
});

const workload = {
  ...{ kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'd-1', managedBy: 'Argo CD (shop)' },
  images: [{ container: 'app', image: 'registry.example/web:1.4.2' }],
};

describeInBrowser('the page of a service that another tool deploys', ({ open }) => {
  const servers = useServers();

  it('shows its pods with nodes and reasons, declared beside observed, and what its agent lacks', {
    timeout: 180_000,
  }, async () => {
    const { api } = await servers.start({ args: ['--fresh-for', '60000'] });
    const rule = { body: { namespaces: ['shop', 'shpo', 'bank'] } };
    ok(await api.call('PUT', '/v1/targets/prod/observation', rule));
    const agent = api.as(await api.tokenFor('agent', { target: 'prod' }));
    const registration = { agent: 'prod', instance: 'i1', version: '1', identity: 'c1', observeOnly: true };
    const { epoch } = ok(await agent.post('/v1/targets/prod/registrations', registration));
    const report = async (scope: string, more: object) =>
      ok(
        await agent.post('/v1/targets/prod/reports', {
          ...{ epoch, seq: '1', scope, complete: true, watchAgeMs: 0, instances: [], services: [] },
          ...more,
        }),
      );
    const instances = [
      pod('web-1', { node: 'node-a' }),
      pod('web-2', { node: 'node-b', ready: false, reason: 'probe_failed' }),
    ];
    const warning = { about: 'Pod/web-2', reason: 'Unhealthy', message: 'Readiness probe failed' };
    const entry = { service: WEB, template: TEMPLATE, replicas: 2, workload, warnings: [warning] };
    await report('ns/shop', { observation: 1, instances, services: [entry] });
    await report('ns/shpo', { observation: 1, absent: true });
    const denied = [{ verb: 'list', resource: 'jobs.batch' }];
    await report('ns/bank', { complete: false, unavailable: 'forbidden', denied });

    const page = await open(api, `/services/${WEB}`);
    await stateOf(page, 'starting');
    const card = page.getByRole('region', { name: 'Declared and observed' });
    const words = await card.innerText();
    expect(words).toContain('Deployment shop/web, managed by Argo CD (shop)');
    expect(words).toMatch(/Copies\s+2 copies\s+1 of 2 pods ready/);
    expect(words).toContain('registry.example/web:1.4.2');
    expect(words).toContain('Unhealthy');
    const moments = await page
      .locator('main time[datetime]')
      .evaluateAll((all) => all.map((one) => one.title));
    expect(moments).not.toEqual([]);
    for (const title of moments) expect(title, 'UTC on hover').toMatch(/^\d{4}-\d\d-\d\d [\d:.]+ UTC$/);
    const rows = page.getByRole('region', { name: 'Instances' }).locator('tbody tr');
    expect(await rows.nth(0).innerText(), 'the worst first').toMatch(
      /web-2.*Not ready.*probe failed.*node-b/s,
    );
    expect(await rows.nth(1).innerText()).toMatch(
      /web-1.*Ready.*node-a.*kubelet of node node-a, by its probe/s,
    );
    const move = await page.getByRole('region', { name: 'What is safe next' }).innerText();
    expect(move).not.toContain('deploy again');
    expect(await page.getByRole('link', { name: 'Edit configuration' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Take off the lists' }).click();
    const question = await page.getByRole('dialog').innerText();
    expect(question).toContain('Nothing is stopped');
    expect(question).not.toMatch(/Every copy|logs/);
    const log = await open(api, `/services/${WEB}/logs`);
    const command = log.getByLabel('Command that shows its output');
    expect(await command.inputValue()).toBe('kubectl -n shop logs deployment/web');
    const configuration = await open(api, `/services/${WEB}/configuration`);
    const declared = await configuration.getByRole('region', { name: 'Configuration' }).innerText();
    expect(declared).toMatch(/Object\s+Deployment shop\/web/);
    expect(declared).not.toMatch(/Procfile|deadline|port/i);

    const agents = await open(api, '/targets');
    const trouble = agents.locator('[data-agent="prod.i1"]');
    await trouble.waitFor();
    const opener = trouble.locator('button[aria-expanded="false"]');
    if ((await opener.count()) > 0) await opener.first().click();
    await trouble.getByText('Details', { exact: true }).click();
    await trouble.getByText('nothing: it only observes').waitFor();
    const said = await trouble.innerText();
    expect(said).toContain('nothing: it only observes');
    expect(said).toContain('may not be read: the agent may not list jobs.batch');
    expect(said).toMatch(/[Nn]amespace shpo does not exist|shpo.*does not exist/s);

    const refused = await api.post('/v1/services/new@prod/deployments', { image: 'registry.example/new:1' });
    expect(refused.body).toMatchObject({ code: 'observe_only', cause: 'observe_only' });
    const there = await api.post(`/v1/services/${WEB}/deployments`, { image: 'registry.example/web:2' });
    expect(there.body).toMatchObject({
      code: 'managed_elsewhere',
      detail: expect.stringContaining('Argo CD (shop)'),
    });

    ok(await api.call('PUT', '/v1/targets/prod/observation', { body: { namespaces: ['bank'] } }));
    await report('ns/shop', { seq: '2' });
    const list = await open(api, '/');
    const note = list.getByText('1 service is not shown: the rule of prod no longer covers it');
    await note.waitFor();
    await note.click();
    expect(await list.getByRole('link', { name: WEB }).getAttribute('href')).toBe(`/services/${WEB}`);
  });
});

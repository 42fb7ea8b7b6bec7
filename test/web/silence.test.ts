import { expect, it } from 'vitest';
import { claimed, cleanUp, deploy, endWithTest, running } from '../agent/stage.ts';
import { WEB } from '../runtime/process-lab.ts';
import { type Launched, type Server, useServers } from '../server/servers.ts';
import { badge, describeInBrowser, stateOf } from './browser.ts';

const TIMEOUT = { timeout: 180_000 };
const SPEC = { command: ['node', 'web.js'], port: 3000, stabilityMs: 300 };
const PAGE = '/services/web@lab';

describeInBrowser('the web UI when an agent or the server falls silent', ({ open }) => {
  // First, which makes it end last: an agent that lives would start again what is killed.
  cleanUp();
  const servers = useServers();

  /** A server and an agent in processes of their own, and a running app. */
  const stage = async (): Promise<{ server: Server; agent: Launched }> => {
    const server = await servers.start();
    endWithTest(server.data);
    const args = ['agent', '--target', 'lab', '--runtime', 'process', '--router-port', '0', '-o', 'json'];
    const agent = servers.launch(args, { EVIDENT_DATA: server.data, EVIDENT_SERVER: server.api.address });
    await agent.until(/"event":"ready"/);
    await deploy(server.api, { 'web.js': WEB }, SPEC);
    await claimed(server.api, running(1));
    return { server, agent };
  };

  it(
    'the agent is paused: the claim is unknown with its last known state, a teardown is guarded, then it runs again',
    TIMEOUT,
    async () => {
      const { server, agent } = await stage();
      const page = await open(server.api, PAGE);
      await stateOf(page, 'running');
      agent.process.kill('SIGSTOP');
      await stateOf(page, 'unknown');
      expect(await badge(page).innerText()).toMatch(/last known running, \d+ s ago/);
      expect(await page.getByRole('region', { name: 'What we do not know' }).innerText()).toContain(
        'Whether r1 runs now.',
      );
      // The other actions say that nobody sees what they would hit, before one is pressed and in its question: as soon as
      // the server has said so of the target, which may be after the page let the claim lapse by itself.
      const others = page.getByRole('region', { name: 'Other actions' });
      await others.getByText('lab is silent: nobody sees what these would hit').waitFor();
      await page.locator('button[data-action="teardown"]').click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.innerText()).toContain('Something could be left running');
      expect(await dialog.innerText()).toMatch(/silent since \d\d:\d\d:\d\d\. Nothing happens there before/);
      await dialog.getByRole('button', { name: 'Leave it' }).click();
      agent.process.kill('SIGCONT');
      await stateOf(page, 'running');
    },
  );

  it(
    'the server is killed: the page decays by itself, shows since when, and recovers by itself',
    TIMEOUT,
    async () => {
      const { server } = await stage();
      const page = await open(server.api, PAGE);
      await stateOf(page, 'running');
      const overTime = page.getByRole('region', { name: 'State over time' });
      // Read after the page: of a past that it has not read, a page that loses its server can say nothing.
      await overTime.locator('.ribbon-window > i').first().waitFor();
      server.process.kill('SIGKILL');
      await stateOf(page, 'unknown');
      const banner = page.getByText('This page lost its server');
      await banner.waitFor();
      const sentence = await page.locator('.sentence').innerText();
      expect(sentence).toMatch(/This page cannot see \S+\. r1 ran \d+ s ago\./);
      expect(sentence).toContain('it is the page that has lost its server.');
      // The age of what was seen is everywhere the same; only the bar says when the server was last heard.
      const shown = await page.locator('body').innerText();
      const ages = [...shown.matchAll(/(?:r1 ran|last known running,) (\d+) s ago/g)].map(([, s]) => s);
      expect(ages).toHaveLength(2);
      expect(new Set(ages).size, shown).toBe(1);
      const seenAt = /last known (\d\d:\d\d:\d\d)/.exec(shown)?.[1] ?? '';
      const heardAt = /lost its server at (\d\d:\d\d:\d\d)/.exec(shown)?.[1] ?? '';
      expect(seenAt).toMatch(/\d/);
      expect(seenAt <= heardAt, `seen at ${seenAt}, heard at ${heardAt}`).toBe(true);
      await overTime.getByText(/not known for \d+ s/).waitFor();
      const bands = `[...document.querySelectorAll('.over-time .ribbon-window > i')].map((band) => [
        band.className,
        Math.round(band.parentElement.getBoundingClientRect().right - band.getBoundingClientRect().right),
      ])`;
      expect((await page.evaluate<[string, number][]>(bands)).at(-1), 'up to now').toEqual([
        'band-unknown',
        0,
      ]);
      const others = page.getByRole('region', { name: 'Other actions' });
      expect(await others.innerText()).toContain('this page cannot see what it would meet');
      expect(await page.locator('.columns .tone-running').count(), 'nothing last known is green').toBe(0);
      const { port } = new URL(server.api.address);
      await servers.start({ data: server.data, args: ['--port', port] });
      await stateOf(page, 'running');
      await banner.waitFor({ state: 'detached' });
    },
  );

  it('a tab that slept shows the current state before its first paint', TIMEOUT, async () => {
    const { server, agent } = await stage();
    const page = await open(server.api, PAGE);
    await stateOf(page, 'running');
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    agent.process.kill('SIGSTOP');
    await claimed(server.api, (claim) => claim.state === 'unknown');
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    const firstFrame = await page.evaluate(
      `new Promise((painted) => requestAnimationFrame(() => painted(document.querySelector('h1 .badge').dataset.state)))`,
    );
    agent.process.kill('SIGCONT');
    expect(firstFrame).toBe('unknown');
    await stateOf(page, 'running');
  });

  it('a wrong clock on the viewer’s machine changes nothing', TIMEOUT, async () => {
    const { server } = await stage();
    const before = `{
      const RealDate = Date;
      const ahead = 3_600_000;
      globalThis.Date = class extends RealDate {
        constructor(...args) {
          if (args.length === 0) super(RealDate.now() + ahead);
          else super(...args);
        }
        static now() { return RealDate.now() + ahead; }
      };
    }`;
    const page = await open(server.api, PAGE, { before });
    await stateOf(page, 'running');
    await page.locator('.liveness[data-live="true"]').waitFor();
    expect(await page.getByRole('region', { name: 'What we know' }).innerText()).toMatch(
      /r1 serves, and is what you asked for\.\s+\d s/,
    );
  });

  it('a viewer receives no operator detail: it is absent from the bytes', TIMEOUT, async () => {
    const { server } = await stage();
    const created = await server.api.call('POST', '/v1/tokens', { body: { role: 'viewer', name: 'vera' } });
    const api = server.api.as(created.body.token);
    const page = await open(api, '/');
    const texts: Promise<string>[] = [];
    page.on('response', (response) => {
      if (/json/.test(response.headers()['content-type'] ?? '')) texts.push(response.text().catch(() => ''));
    });
    await page.locator('tr[data-service="web@lab"]').getByRole('link', { name: 'web@lab' }).click();
    await stateOf(page, 'running');
    expect(await page.locator('button[data-action]').count(), 'nothing to press').toBe(0);
    expect(await page.getByRole('region', { name: 'What is safe next' }).innerText()).toContain(
      'Nothing can be requested here: your token may only read.',
    );
    // Text from the page before may be displayed first; the texts of this page are still being requested.
    const all = async () => (await Promise.all(texts)).join('\n');
    await expect.poll(all, { timeout: 20_000 }).toContain('"state":"running"');
    expect(await all()).not.toMatch(/"operator":|"holder":|"node":|"fence":/);
  });
});

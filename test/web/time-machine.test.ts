import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { TransitionView } from '../../src/contract/answers/views.ts';
import { stopsOf } from '../../src/contract/presentation/life.ts';
import { ok, submit } from '../server/parties.ts';
import { useInstallations, webApp } from '../up/installation.ts';
import { axeComplaints } from './axe.ts';
import { describeInBrowser, stateOf } from './browser.ts';

/** Keeps every instant that the address ever named. */
const VISITED = `
  window.visited = [];
  for (const way of ['pushState', 'replaceState']) {
    const own = history[way];
    history[way] = function (...args) {
      own.apply(this, args);
      window.visited.push(new URL(location.href).searchParams.get('at'));
    };
  }`;

const TIMEOUT = { timeout: 180_000 };

describeInBrowser('the past of a service in the browser', ({ open }) => {
  const { start, evidentJson, folder } = useInstallations();
  type Installation = Awaited<ReturnType<typeof start>>;
  const path = '/services/web@local';
  const deployed = async () => {
    const installation = await start();
    await evidentJson(installation, 'deploy', folder(webApp('one')), '--service', 'web');
    return installation;
  };
  const stopsAt = async ({ api }: Installation) =>
    stopsOf(ok(await api.get(`/v1${path}/transitions`)).items as TransitionView[]);
  const instantOf = (page: Page) => new URL(page.url()).searchParams.get('at');
  /** The page shows this stop: address, badge and time agree. */
  const shows = async (page: Page, { at, to }: { readonly at: string; readonly to: string }) => {
    await page.waitForURL((url) => url.searchParams.get('at') === at);
    await stateOf(page, to);
    await page.locator(`.time-machine:not([aria-busy="true"]) time[datetime="${at}"]`).waitFor();
  };

  it('is browsed change by change, and each address shows the same to every viewer', TIMEOUT, async () => {
    const installation = await deployed();
    const stops = await stopsAt(installation);
    const page = await open(installation.api, path);
    await stateOf(page, 'running');
    await page.getByRole('button', { name: 'Time machine' }).click();
    const machine = page.getByRole('region', { name: 'Time machine' });
    await machine
      .locator('.ticks line')
      .nth(stops.length - 1)
      .waitFor({ state: 'attached' });

    for (const stop of [...stops].reverse()) {
      await page.keyboard.press('ArrowLeft');
      await shows(page, stop);
    }
    expect(await page.locator('.past-banner').innerText()).toContain('This is what was known at');
    // Unmistakably the past: its words, a frame around everything, and nothing to press.
    expect(await page.locator('h1 .badge').innerText()).toMatch(/^Was /);
    const next = page.getByRole('region', { name: 'What came next' });
    expect(await next.innerText()).toMatch(
      /(later, a|A)t .*\d\d:\d\d:\d\d[\s\S]*Nothing can be done in the past/,
    );
    const then = await page.locator('.columns').innerText();
    expect(then).toMatch(/At \d\d:\d\d:\d\d r1 was accepted\./);
    expect(then, 'told in the past tense').not.toMatch(/\b(?:is|are|serves|runs|waits|ago|[Yy]our move)\b/);
    expect(await page.locator('[data-action]').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Time machine' }).count(), 'one way out').toBe(0);
    expect(await page.evaluate(`getComputedStyle(document.body, '::after').borderTopWidth`)).toBe('6px');
    expect(await axeComplaints(page)).toEqual([]);
    expect(await page.locator('.app-link').count(), 'nobody follows a link from the past').toBe(0);
    const history = page.getByRole('region', { name: 'Revisions' });
    expect(await history.innerText()).toContain('Was in progress');
    // A comparison tells no end that was not known then.
    await page.getByRole('link', { name: /^Revisions/ }).click();
    const compared = page.getByRole('region', { name: 'What r1 changed' });
    await compared.locator('.badge').first().waitFor();
    expect(await compared.locator('.tone-running').count()).toBe(0);
    await page.getByRole('link', { name: 'Overview' }).click();
    if (stops[0] !== undefined) await shows(page, stops[0]);
    await page.keyboard.press('ArrowLeft');
    expect(instantOf(page), 'before the first there is nothing').toBe(stops[0]?.at);

    for (const stop of stops.slice(1)) {
      await machine.getByRole('button', { name: 'Next change' }).click();
      await shows(page, stop);
    }
    await machine.getByRole('button', { name: 'Next change' }).click();
    await page.waitForURL((url) => !url.searchParams.has('at'));

    const building = stops.find(({ to }) => to === 'building');
    if (building === undefined) throw new Error('it was never built');
    const sent = await open(installation.api, `${path}?at=${building.at}`);
    await shows(sent, building);
    await sent.keyboard.press('Escape');
    await stateOf(sent, 'running');
    expect(instantOf(sent)).toBeNull();
  });

  it('plays from the beginning to now, and an instant before the beginning says so', TIMEOUT, async () => {
    const installation = await deployed();
    const stops = await stopsAt(installation);
    const page = await open(installation.api, path, { before: VISITED });
    await stateOf(page, 'running');
    await page.getByRole('button', { name: 'Time machine' }).click();
    await page.getByRole('button', { name: 'Play', disabled: false }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    expect(await page.evaluate('window.visited'), 'each change once, then now').toEqual([
      ...stops.map(({ at }) => at),
      null,
    ]);

    await page.locator('.past-banner').waitFor({ state: 'detached' });
    await stateOf(page, 'running');
    const slider = page.locator('.time-line input');
    // Measured again for each move: the banner above takes room on the page, and comes and goes.
    const hold = async (share: number) => {
      const { width = 0, height = 0 } = (await slider.boundingBox()) ?? {};
      await slider.hover({ position: { x: 8 + share * (width - 16), y: height / 2 } });
    };
    const pages = await page.evaluate('history.length');
    for (let isHeld = false; !isHeld; ) {
      await hold(1);
      await page.mouse.down();
      isHeld = (await page.locator('.time-line input:focus').count()) > 0;
      if (!isHeld) await page.mouse.up();
    }
    for (let steps = 29; steps >= 0; steps--) await hold(steps / 30);
    await page.mouse.up();
    await shows(page, stops[0] ?? { at: '', to: '' });
    expect(await page.evaluate('history.length'), 'one step back leads to now').toBe(Number(pages) + 1);
    await page.goBack();
    expect(instantOf(page)).toBeNull();

    const before = new Date((stops[0]?.ms ?? 0) - 1_000).toISOString();
    const early = await open(installation.api, `${path}?at=${before}`);
    await early.getByText('nobody had requested it yet').waitFor();
    await early.getByRole('button', { name: 'Go to the earliest' }).click();
    await shows(early, stops[0] ?? { at: '', to: '' });
  });

  it(
    'draws evidence for operators, is navigated by keys, and each record opens with its effect',
    TIMEOUT,
    async () => {
      const installation = await deployed();
      const { api } = installation;
      const [lease] = ok(await api.get(`/v1${path}/leases`)).items;
      const builder = api.as(await api.tokenFor('builder'));
      const late = { ...lease, service: 'web@local', revision: 1, attempt: 1 };
      ok(await submit(builder, late, 'build.progress', { step: 9, message: '<b>late</b>' }));
      const page = await open(api, `${path}/evidence`);
      const evidence = page.getByRole('region', { name: 'Evidence' });
      await evidence.getByRole('button', { name: 'Deploy r1', pressed: true }).waitFor();
      await evidence.getByRole('button', { name: 'All', exact: true }).click();
      await evidence.getByRole('button', { name: 'Refused 1' }).waitFor();

      const drawing = evidence.getByRole('application');
      await drawing.focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      const record = page.getByRole('region', { name: 'Record intent.recorded' });
      expect(await record.innerText()).toMatch(/Admitted[\s\S]*Accepted[\s\S]*"kind": "deploy"/);
      await record.getByText('by no claim').waitFor({ state: 'detached' });
      await record.getByRole('button', { name: 'Running' }).waitFor();
      const sent = page.url();
      expect(new URL(sent).searchParams.get('record')).toMatch(/^\d+$/);
      await page.keyboard.press('Escape');
      await record.waitFor({ state: 'detached' });
      await page.goto(sent);
      await record.waitFor();
      await record.getByRole('button', { name: 'Close' }).click();
      await record.waitFor({ state: 'detached' });
      await drawing.focus();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      const rejected = page.getByRole('region', { name: 'Record build.progress' });
      expect(await rejected.innerText()).toContain('<b>late</b>');
      await rejected.getByText(/Refused: (stale lease|not owner)/).waitFor();
      await rejected.getByText('Kept as history only.').waitFor();

      // Up is the record before it in the list, which is later; down leads back. Escape closes.
      await page.keyboard.press('ArrowDown');
      await rejected.waitFor({ state: 'detached' });
      await page.keyboard.press('ArrowUp');
      await rejected.waitFor();

      await evidence.getByRole('button', { name: 'Table' }).click();
      await evidence.getByRole('button', { name: 'All', exact: true }).click();
      await evidence.getByRole('button', { name: 'Refused 1' }).click();
      await evidence.getByText(/^1 record from/).waitFor();
      expect(await evidence.getByRole('row').count()).toBe(2);
      const saved = page.waitForEvent('download');
      await evidence.getByRole('button', { name: 'Download' }).click();
      expect((await saved).suggestedFilename()).toBe('evidence-web@local.ndjson');

      // One kind alone: counted beside its name, and kept in the address that somebody is sent.
      const kind = evidence.getByRole('combobox', { name: 'Kind of record' });
      expect(await kind.locator('option').allInnerTexts()).toEqual(['Every kind', 'build.progress (1)']);
      await evidence.getByRole('button', { name: /^All \d/ }).click();
      await kind.selectOption('artifact.stored');
      await evidence.getByText(/^1 record from/).waitFor();
      await evidence.getByRole('button', { name: 'Refused 0' }).waitFor();
      expect(new URL(page.url()).searchParams.get('kind')).toBe('artifact.stored');
      await page.reload();
      await evidence.getByText(/^1 record from/).waitFor();
      expect(await kind.inputValue()).toBe('artifact.stored');
      await kind.selectOption('Every kind');
      await evidence.getByText(/^\d\d+ records from/).waitFor();

      const viewer = await open(api.as(await api.tokenFor('viewer')), `${path}/evidence`);
      await stateOf(viewer, 'running');
      await viewer.getByRole('button', { name: 'Time machine' }).click();
      await viewer.getByRole('region', { name: 'Time machine' }).waitFor();
      expect(await viewer.getByRole('region', { name: 'Evidence' }).count()).toBe(0);
    },
  );
});

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useInstallations, webApp } from '../up/installation.ts';
import { describeInBrowser, stateOf } from './browser.ts';

/** Lets a test say which tab is in sight: to a browser without a screen all of them are. */
const SIGHT = `{
  let sight = 'visible';
  Object.defineProperty(document, 'visibilityState', { get: () => sight });
  globalThis.see = (next) => {
    sight = next;
    document.dispatchEvent(new Event('visibilitychange'));
  };
}`;
const see = (page: Page, sight: 'visible' | 'hidden') => page.evaluate(`see('${sight}')`);

describeInBrowser('the web UI in many tabs of one browser', ({ open }) => {
  const { start, evidentJson, folder } = useInstallations();

  it('it loads in every one of them, and each follows when somebody looks', {
    timeout: 180_000,
  }, async () => {
    const installation = await start();
    await evidentJson(installation, 'deploy', folder(webApp('one')), '--service', 'web');
    const first = await open(installation.api, '/services/web@local', { before: SIGHT });
    await stateOf(first, 'running');
    await first.context().addInitScript(SIGHT);
    const tabs = [first];
    // A browser gives six connections to one server over HTTP/1.1.
    while (tabs.length < 9) {
      await see(tabs.at(-1) ?? first, 'hidden');
      const tab = await first.context().newPage();
      await tab.goto(first.url());
      await stateOf(tab, 'running');
      tabs.push(tab);
    }
    await evidentJson(installation, 'scale', 'web', '2');
    for (const [n, tab] of tabs.entries()) {
      await see(tab, 'visible');
      const two = tab.getByText('Both copies are ready.').first();
      await two.waitFor({ timeout: 60_000 });
      expect(await tab.title(), `tab ${n}`).toContain('web: Running');
      await see(tab, 'hidden');
    }
  });
});

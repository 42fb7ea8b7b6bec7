import { randomBytes } from 'node:crypto';
import { type Browser, type BrowserContextOptions, chromium as engine, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { CHROMIUM_MISSING, chromium } from '../../lab/chromium.ts';
import type { Api } from '../server/api.ts';

export interface Visit extends BrowserContextOptions {
  /** A script that runs in the page before any of ours. */
  readonly before?: string;
}

export interface Browsing {
  /** A page that is signed in with the token of this API; without one, a page that is not signed in. */
  open(api: Pick<Api, 'address' | 'token'> | null, address: string, visit?: Visit): Promise<Page>;
}

/** Runs a suite in a real Chromium; without one it is skipped, and its name gives the reason. */
export function describeInBrowser(name: string, suite: (browsing: Browsing) => void): void {
  const program = chromium();
  if (program === null) {
    console.warn(`SKIPPED: ${name}. ${CHROMIUM_MISSING}`);
    describe.skip(`${name} (skipped: ${CHROMIUM_MISSING})`, () =>
      suite({ open: () => Promise.reject(new Error(CHROMIUM_MISSING)) }));
    return;
  }
  describe(name, () => {
    let browser: Browser;
    const complaints: string[] = [];
    beforeAll(async () => {
      browser = await engine.launch({ executablePath: program, args: ['--no-sandbox'] });
    });
    afterEach(async () => {
      // Requests that break off because the page is closed do not count as complaints.
      const found = complaints.splice(0);
      for (const context of browser.contexts()) await context.close();
      complaints.length = 0;
      expect(found, 'nothing of ours throws, and the policy of the page refuses nothing').toEqual([]);
    });
    afterAll(() => browser.close());
    const open: Browsing['open'] = async (api, address, { before, ...options } = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      const page = await context.newPage();
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (/Content.Security.Policy/i.test(message.text())) complaints.push(message.text());
      });
      if (before !== undefined) await page.addInitScript(before);
      // The page is served at localhost alone, so its cookie belongs there (F127).
      const origin = api?.address.replace('//127.0.0.1:', '//localhost:');
      if (api !== null && origin !== undefined) {
        const key = randomBytes(16).toString('hex');
        const signedIn = await context.request.post(`${origin}/v1/sessions`, {
          data: { token: api.token, key },
          headers: { origin },
        });
        expect(signedIn.status()).toBe(201);
        // The page's half of the secret, as the page itself keeps it when it signs in.
        await page.addInitScript(
          `if (location.origin === '${origin}' && sessionStorage.getItem('signed in') === null) {
             sessionStorage.setItem('signed in', 'by the test');
             localStorage.setItem('evident.key', '${key}');
           }`,
        );
      }
      await page.goto(new URL(address, origin).href);
      return page;
    };
    suite({ open });
  });
}

/** The badge of the service on its page. */
export const badge = (page: Page) => page.locator('h1 .badge');
export const stateOf = (page: Page, state: string) =>
  page.locator(`h1 .badge[data-state="${state}"]`).waitFor({ timeout: 60_000 });

import type { Browser, Page } from 'playwright-core';
import { chromium } from '../lab/chromium.ts';
import type { Served } from './served.ts';
import { clock } from './viewer.ts';

const PATIENCE_MS = 120_000;

/** Somebody who looks at the page of a service, in a real browser. */
export class Onlooker {
  readonly #browser: Browser;
  readonly #page: Page;

  private constructor(browser: Browser, page: Page) {
    this.#browser = browser;
    this.#page = page;
  }

  /** Null: there is no browser here. */
  static async open({ address, environment }: Served, service: string): Promise<Onlooker | null> {
    const program = chromium();
    if (program === null) return null;
    const { chromium: engine } = await import('playwright-core');
    const browser = await engine.launch({ executablePath: program, args: ['--no-sandbox'] });
    const context = await browser.newContext();
    await context.request.post(`${address}/v1/sessions`, {
      data: { token: environment.EVIDENT_TOKEN },
      headers: { origin: address },
      failOnStatusCode: true,
    });
    const page = await context.newPage();
    await page.goto(`${address}/services/${service}`);
    return new Onlooker(browser, page);
  }

  /** When the badge says so, by `clock()`. */
  async sees(state: string): Promise<number> {
    await this.#page.locator(`h1 .badge[data-state="${state}"]`).waitFor({ timeout: PATIENCE_MS });
    return clock();
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

// `npm run screenshots`: the pictures of the web UI in docs/images, taken by a real Chromium of a real `evident up`
// with the apps of story.mjs: they run, crash, do not build, hang and wait, one target is silent, and one page is not live.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as engine } from 'playwright-core';
import { bundleIfStale } from './bundle.mjs';
import { ROOT } from './root.mjs';
import { setUp } from './setup.mjs';
import { signIn } from './sign-in.mjs';
import { play } from './story.mjs';

const IMAGES = join(ROOT, 'docs', 'images');
const EVIDENT = join(ROOT, 'bin', 'evident');

await setUp();
await bundleIfStale('evident');
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) =>
  existsSync(file),
);
if (chromium === undefined) {
  console.error('Chromium is not here: install it (Debian: apt-get install chromium).');
  process.exit(1);
}
mkdirSync(IMAGES, { recursive: true });
const dir = mkdtempSync(join(tmpdir(), 'evident-screenshots-'));
const env = { ...process.env, EVIDENT_DATA: join(dir, 'data') };
const up = spawn(process.execPath, [EVIDENT, 'up', '--port', '0', '-o', 'json'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let api = '';
let token = '';
/** @type {Awaited<ReturnType<typeof play>> | null} */
let story = null;
const browser = await engine.launch({ executablePath: chromium, args: ['--no-sandbox'] });
// Whoever interrupts it must not be left with a server, its apps and a browser.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.once(signal, () => end().finally(() => process.exit(1)));
try {
  api = await ready();
  token = readFileSync(join(dir, 'data', 'admin-token'), 'utf8').trim();
  story = await play({ api, dir, data: env.EVIDENT_DATA, evident: EVIDENT });

  const phone = { viewport: { width: 390, height: 844 } };
  const dark = /** @type {const} */ ({ colorScheme: 'dark' });
  const failed = '/services/checkout@local';
  const at = encodeURIComponent(await whileStarting('checkout@local', 2));
  await shot('services', '/', { state: 'failed' });
  await shot('services-dark', '/', { state: 'failed', options: dark });
  await shot('services-compact', '/?as=compact', { state: 'failed' });
  await shot('services-map', '/?as=map');
  await shot('services-phone', '/', { state: 'failed', options: phone });
  await shot('service', failed, { state: 'failed' });
  await shot('service-phone', failed, { state: 'failed', options: phone });
  await shot('service-dark', '/services/catalog@local', { state: 'running', options: dark });
  await shot('service-failed-dark', failed, { state: 'failed', options: dark });
  await shot('target-silent', '/services/kiosk@edge', { state: 'unknown' });
  await shot('evidence', `${failed}/evidence`);
  await shot('revisions', `${failed}/revisions`);
  await shot('logs', `${failed}/logs`);
  await shot('configuration', `${failed}/configuration?set=DATABASE_URL`);
  await shot('past', `${failed}?at=${at}`, { isOneWindow: true });
  await shot('targets', '/targets');
  await shot('targets-phone', '/targets', { options: phone });
  await shot('model', '/model');
  await shot('settings', '/settings/tokens');
  await shot('people', '/settings/people');
  await shot('palette', failed, { opens: (page) => page.keyboard.press('Control+k') });
  await shot('confirm', failed, {
    opens: async (page) => {
      await page.getByRole('button', { name: /^Roll back/ }).click();
      await page.locator('.rollback-changes').waitFor();
    },
  });
  const stranger = await open({});
  await stranger.goto(api.replace('//127.0.0.1:', '//localhost:'));
  await stranger.getByLabel('Token').waitFor();
  await stranger.screenshot({ path: join(IMAGES, 'sign-in.png') });
  const page = await visit('/services/catalog@local', dark);
  await page.locator('h1 [data-state="running"]').waitFor();
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {});
  up.kill('SIGSTOP');
  await page.locator('h1 [data-state="unknown"]').waitFor({ timeout: 60_000 });
  await page.screenshot({ path: join(IMAGES, 'silent.png') });
  up.kill('SIGCONT');
  console.log(`wrote ${IMAGES}`);
} finally {
  await end();
}

async function end() {
  up.kill('SIGCONT');
  await browser.close();
  await story?.end();
  await evident('down');
  rmSync(dir, { recursive: true, force: true });
}

/** @returns {Promise<string>} */
function ready() {
  return new Promise((resolve, reject) => {
    let said = '';
    up.stdout.on('data', (text) => {
      said += text;
      const line = said.split('\n').find((one) => one.includes('"event":"ready"'));
      if (line !== undefined) resolve(JSON.parse(line).api);
    });
    up.once('exit', (code) => reject(new Error(`evident up ended with ${code}: ${said}`)));
  });
}

/** An instant at which a revision was starting. @param {string} service @param {number} revision */
async function whileStarting(service, revision) {
  const answer = await fetch(`${api}/v1/services/${service}/transitions`, {
    headers: { authorization: `Bearer ${token}` },
  });
  /** @type {{ at: string, to: string, revision: number }[]} */
  const items = /** @type {any} */ (await answer.json()).items;
  const begin = items.find((one) => one.to === 'starting' && one.revision === revision);
  if (begin === undefined) throw new Error(`r${revision} of ${service} never started`);
  return new Date(Date.parse(begin.at) + 700).toISOString();
}

/** @param {string[]} args */
function evident(...args) {
  const child = spawn(process.execPath, [EVIDENT, ...args], { env, cwd: dir, stdio: 'ignore' });
  return new Promise((done) => child.once('exit', done));
}

/** @param {import('playwright-core').BrowserContextOptions} options */
async function open(options) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    deviceScaleFactor: 1,
    ...options,
  });
  return context.newPage();
}

/** @param {string} path @param {import('playwright-core').BrowserContextOptions} options */
async function visit(path, options) {
  const page = await open(options);
  await signIn(page, api, token);
  await page.goto(new URL(path, page.url()).href);
  return page;
}

/**
 * The whole page, once it shows the state, or the dialog that is opened then.
 * @param {string} name @param {string} path
 * @param {{ state?: string, options?: import('playwright-core').BrowserContextOptions, opens?: (page: import('playwright-core').Page) => Promise<void>, isOneWindow?: boolean }} [of]
 */
async function shot(name, path, { state, options = {}, opens, isOneWindow = false } = {}) {
  const page = await visit(path, options);
  await page
    .locator(state === undefined ? 'main h1' : `[data-state="${state}"]`)
    .first()
    .waitFor({ timeout: 60_000 });
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {});
  if (opens !== undefined) {
    await opens(page);
    await page.getByRole('dialog').waitFor();
  }
  // What a phone keeps at the bottom of its screen would stand in the middle of a picture of the whole page, and so would the
  // frame of the past.
  const { width } = page.viewportSize() ?? {};
  if (width !== undefined && (isOneWindow || options.viewport !== undefined)) {
    const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
    await page.setViewportSize({ width, height });
    await page.locator('.primary-place[data-below="true"]').waitFor({ state: 'detached' });
  }
  await page.screenshot({ path: join(IMAGES, `${name}.png`), fullPage: opens === undefined });
  await page.context().close();
}

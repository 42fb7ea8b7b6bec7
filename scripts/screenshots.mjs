// `npm run screenshots`: the pictures of the web UI in docs/images, taken by a real Chromium of a real `evident up`
// with real apps: some run, one fails over a revision that still serves, one never gets ready, and one page goes silent.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as engine } from 'playwright-core';
import { bundleIfStale } from './bundle.mjs';
import { ROOT } from './root.mjs';
import { setUp } from './setup.mjs';
import { signIn } from './sign-in.mjs';

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
const browser = await engine.launch({ executablePath: chromium, args: ['--no-sandbox'] });
try {
  api = await ready();
  token = readFileSync(join(dir, 'data', 'admin-token'), 'utf8').trim();
  const examples = join(dir, 'examples');
  cpSync(join(ROOT, 'examples'), examples, { recursive: true });
  for (const example of ['hello', 'static', 'worker']) await evident('deploy', join(examples, example));
  writeFileSync(join(examples, 'hello', 'server.js'), 'throw new Error("DATABASE_URL is not set");\n');
  await evident('deploy', join(examples, 'hello'));
  await evident('deploy', join(examples, 'never-ready'), '--detach');

  const phone = { viewport: { width: 390, height: 844 } };
  const dark = /** @type {const} */ ({ colorScheme: 'dark' });
  const hello = '/services/hello@local';
  const at = encodeURIComponent(new Date(Date.now() - 5_000).toISOString());
  await shot('services', '/', { state: 'failed' });
  await shot('services-dark', '/', { state: 'failed', options: dark });
  await shot('services-compact', '/?as=compact', { state: 'failed' });
  await shot('services-map', '/?as=map');
  await shot('services-phone', '/', { state: 'failed', options: phone });
  await shot('service', hello, { state: 'failed' });
  await shot('service-phone', hello, { state: 'failed', options: phone });
  await shot('service-dark', '/services/static@local', { state: 'running', options: dark });
  await shot('evidence', `${hello}/evidence`);
  await shot('revisions', `${hello}/revisions`);
  await shot('logs', `${hello}/logs`);
  await shot('configuration', `${hello}/configuration`);
  await shot('past', `${hello}?at=${at}`);
  await shot('targets', '/targets');
  await shot('targets-phone', '/targets', { options: phone });
  await shot('model', '/model');
  await shot('settings', '/settings/tokens');
  await shot('palette', hello, { opens: (page) => page.keyboard.press('Control+k') });
  await shot('confirm', hello, { opens: (page) => page.getByRole('button', { name: /^Roll back/ }).click() });
  const stranger = await open({});
  await stranger.goto(api.replace('//127.0.0.1:', '//localhost:'));
  await stranger.getByLabel('Token').waitFor();
  await stranger.screenshot({ path: join(IMAGES, 'sign-in.png') });
  const page = await visit('/services/static@local', dark);
  await page.locator('h1 [data-state="running"]').waitFor();
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {});
  up.kill('SIGSTOP');
  await page.locator('h1 [data-state="unknown"]').waitFor({ timeout: 60_000 });
  await page.screenshot({ path: join(IMAGES, 'silent.png') });
  up.kill('SIGCONT');
  console.log(`wrote ${IMAGES}`);
} finally {
  up.kill('SIGCONT');
  await browser.close();
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

/** Ignores the exit code: a deploy that fails is one of the pictures. @param {string[]} args */
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
 * @param {{ state?: string, options?: import('playwright-core').BrowserContextOptions, opens?: (page: import('playwright-core').Page) => Promise<void> }} [of]
 */
async function shot(name, path, { state, options = {}, opens } = {}) {
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
  await page.screenshot({ path: join(IMAGES, `${name}.png`), fullPage: opens === undefined });
  await page.context().close();
}

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
const browser = await engine.launch({ executablePath: chromium, args: ['--no-sandbox'] });
try {
  const api = await ready();
  const token = readFileSync(join(dir, 'data', 'admin-token'), 'utf8').trim();
  const examples = join(dir, 'examples');
  cpSync(join(ROOT, 'examples'), examples, { recursive: true });
  for (const example of ['hello', 'static', 'worker']) await evident('deploy', join(examples, example));
  writeFileSync(join(examples, 'hello', 'server.js'), 'throw new Error("DATABASE_URL is not set");\n');
  await evident('deploy', join(examples, 'hello'));
  await evident('deploy', join(examples, 'never-ready'), '--detach');

  await shot(api, token, 'services', '/', 'failed');
  await shot(api, token, 'service', '/services/hello@local', 'failed');
  await shot(api, token, 'service-dark', '/services/static@local', 'running', { colorScheme: 'dark' });
  await shot(api, token, 'services-phone', '/', 'failed', { viewport: { width: 360, height: 740 } });
  await shot(api, token, 'service-phone', '/services/hello@local', 'failed', {
    viewport: { width: 360, height: 740 },
  });
  await shot(api, token, 'targets', '/targets');
  await shot(api, token, 'model', '/model');
  const page = await visit(api, token, '/services/static@local', { colorScheme: 'dark' });
  await page.locator('h1 [data-state="running"]').waitFor();
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

/** @param {string} api @param {string} token @param {string} path @param {import('playwright-core').BrowserContextOptions} options */
async function visit(api, token, path, options) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 1,
    ...options,
  });
  const page = await context.newPage();
  await signIn(page, api, token);
  await page.goto(new URL(path, page.url()).href);
  return page;
}

/**
 * The whole page, once it shows the state.
 * @param {string} api @param {string} token @param {string} name @param {string} path @param {string} [state]
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
async function shot(api, token, name, path, state, options = {}) {
  const page = await visit(api, token, path, options);
  await page
    .locator(state === undefined ? 'main h1' : `[data-state="${state}"]`)
    .first()
    .waitFor({ timeout: 60_000 });
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {});
  await page.screenshot({ path: join(IMAGES, `${name}.png`), fullPage: true });
  await page.context().close();
}

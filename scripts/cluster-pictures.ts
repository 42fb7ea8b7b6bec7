// `npm run picture:cluster`: the pictures of an observed cluster. A real Kubernetes with a real kubelet (EVIDENT_KUBE_LAB
// names the lab; a kubelet needs root), a real server, a real agent with the roles that `evident agent install` prints,
// and a real Chromium. Last of all the kubelet is frozen: kubectl goes on saying 1/1 Running.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Browser, chromium as engine } from 'playwright-core';
import { CHROMIUM_MISSING, chromium } from '../lab/chromium.ts';
import { type OwnKubernetes, startKubernetes } from '../lab/kubernetes.ts';
import { bundleIfStale } from './bundle.mjs';
import { SHOP } from './cluster-of-pictures.ts';
import { ROOT } from './root.mjs';
import { signIn } from './sign-in.mjs';
import { drawTerminals, openTerminal, plainRows } from './terminal-picture.mjs';

const EVIDENT = join(ROOT, 'bin', 'evident');
const IMAGES = join(ROOT, 'docs', 'images');
const WEB = 'web.shop@prod';
const PATIENCE_MS = 180_000;
const PARTS = ['.crumbs', '.columns', '[aria-label="Declared and observed"]', '[aria-label="Revisions"]'];

const program = chromium();
if (program === null) throw new Error(CHROMIUM_MISSING);
await bundleIfStale('evident');
mkdirSync(IMAGES, { recursive: true });
const dir = mkdtempSync(join(tmpdir(), 'evident-cluster-pictures-'));
const data = join(dir, 'data');
const env = { ...process.env, EVIDENT_DATA: data };
const ends: (() => unknown)[] = [() => rmSync(dir, { recursive: true, force: true })];
try {
  const started = await startKubernetes({ node: true });
  if (!started.ok) throw new Error(started.why);
  const { cluster } = started;
  ends.push(() => cluster.down());
  for (const [manager, objects] of SHOP)
    await cluster.kubectl(['apply', '--server-side', '--field-manager', manager, '-f', '-'], objects);
  const up = background(['up', '--port', '0', '-o', 'json']);
  const api = await up.api;
  await observe(cluster);
  const browser = await engine.launch({ executablePath: program, args: ['--no-sandbox'] });
  ends.push(() => browser.close());
  await claimed('cart.shop@prod', ({ cause }) => cause?.code.startsWith('image_') === true);
  await claimed('report.shop@prod', ({ state }) => state === 'failed');
  await claimed('mail.post@prod', ({ cause }) => cause?.code === 'quota_exceeded');
  await claimed(WEB, ({ state }) => state === 'running');

  await shot(browser, api, 'cluster-services', '/');
  await shot(browser, api, 'cluster-service', `/services/${WEB}`, PARTS);
  // A machine that is busy may have lost sight of it meanwhile.
  await claimed('mail.post@prod', ({ cause }) => cause?.code === 'quota_exceeded');
  await shot(browser, api, 'cluster-warnings', '/services/mail.post@prod', PARTS);
  await shot(browser, api, 'cluster-agent', '/targets', ['[data-agent^="prod."]']);

  cluster.freeze('kubelet');
  ends.push(() => cluster.thaw('kubelet'));
  await claimed(WEB, ({ state }) => state === 'unknown');
  const status = openTerminal(process.execPath, [EVIDENT, 'status', WEB], {
    cwd: dir,
    env: { EVIDENT_DATA: data },
    columns: 78,
  });
  await status.ended;
  const pods = await cluster.kubectl(['-n', 'shop', 'get', 'pods', '-l', 'app=web']);
  if (!/1\/1 +Running/.test(pods)) throw new Error(`kubectl says:\n${pods}`);
  writeFileSync(
    join(ROOT, 'docs', 'pictures', 'frozen-kubelet.svg'),
    drawTerminals('a frozen kubelet: kubectl says 1/1 Running, Evident says unknown, and why', [
      { prompt: '$ kubectl -n shop get pods -l app=web', columns: 56, rows: plainRows(pods) },
      { prompt: `$ evident status ${WEB}`, columns: 78, rows: await status.cells() },
    ]),
  );
  await shot(browser, api, 'cluster-frozen', `/services/${WEB}`, [
    ...PARTS,
    'h1:has([data-state="unknown"])',
  ]);
  console.log('wrote docs/images/cluster-*.png and docs/pictures/frozen-kubelet.svg');
} finally {
  for (const end of ends.toReversed()) await end();
}

/** The agent of the target, with the rights of the roles that an installation has, and nothing more. */
async function observe(cluster: OwnKubernetes): Promise<void> {
  const covered = ['--namespace', 'shop', '--namespace', 'post'];
  const install = ['agent', 'install', '--target', 'prod', '--image', 'evident:none', ...covered];
  await cluster.kubectl(['apply', '-f', '-'], await evident(...install));
  const account = JSON.parse(await cluster.kubectl(['get', 'sa', '-A', '-o', 'json']));
  const { namespace } = account.items
    .map(({ metadata }: { metadata: { name: string; namespace: string } }) => metadata)
    .find(({ name }: { name: string }) => name === 'evident-agent');
  // Its Deployment has no image here: the agent runs outside, with the same rights.
  await cluster.kubectl(['-n', namespace, 'delete', 'deployment', '--all']);
  const token = (await cluster.kubectl(['-n', namespace, 'create', 'token', 'evident-agent'])).trim();
  const kubeconfig = join(dir, 'kubeconfig');
  writeFileSync(
    kubeconfig,
    await cluster.kubectl(['config', 'view', '--raw', '--flatten', '--minify', '-o', 'json']),
  );
  const config = JSON.parse(readFileSync(kubeconfig, 'utf8'));
  config.users[0].user = { token };
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  // It may not read the third of them.
  const watched = ['--namespace', 'shop', '--namespace', 'post', '--namespace', 'vault'];
  background([
    'agent',
    '--runtime',
    'kubernetes',
    '--target',
    'prod',
    '--kubeconfig',
    kubeconfig,
    ...watched,
  ]);
  await evident('observe', 'prod');
}

/** A program that runs until everything ends; `api` is its address, where it says one. */
function background(args: readonly string[]): { readonly api: Promise<string> } {
  const child = spawn(process.execPath, [EVIDENT, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done) => child.once('exit', done));
  ends.push(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let said = '';
  const api = new Promise<string>((found, failed) => {
    child.stdout.on('data', (text) => {
      said += text;
      const line = said.split('\n').find((one) => one.includes('"event":"ready"'));
      if (line !== undefined) found(JSON.parse(line).api);
    });
    child.once('exit', (code) => failed(new Error(`evident ${args[0]} ended with ${code}: ${said}`)));
  });
  api.catch(() => {});
  return { api };
}

function evident(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [EVIDENT, ...args], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  return new Promise((done) => child.once('close', () => done(said)));
}

interface ShownClaim {
  readonly state: string;
  readonly cause: { readonly code: string } | null;
}

async function claimed(service: string, isSo: (claim: ShownClaim) => boolean): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const said = await evident('status', service, '-o', 'json');
    if (said !== '' && isSo(JSON.parse(said))) return;
    if (performance.now() > until) throw new Error(`${service} did not come that far: ${said}`);
    await wait(500);
  }
}

/** The whole page, or the part of it from the first to the last of these elements. */
async function shot(
  browser: Browser,
  api: string,
  name: string,
  path: string,
  parts: readonly string[] = [],
): Promise<void> {
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim();
  const context = await browser.newContext({ viewport: { width: 1280, height: 700 }, deviceScaleFactor: 1 });
  const page = await context.newPage();
  await signIn(page, api, token);
  await page.goto(new URL(path, page.url()).href);
  for (const part of parts.length === 0 ? ['main [data-state]'] : parts)
    await page.locator(part).first().waitFor({ timeout: 60_000 });
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {});
  const boxes = await Promise.all(parts.map((part) => page.locator(part).first().boundingBox()));
  const found = boxes.filter((box) => box !== null);
  const [left, top] = [Math.min(...found.map(({ x }) => x)), Math.min(...found.map(({ y }) => y))];
  const right = Math.max(...found.map(({ x, width }) => x + width));
  const bottom = Math.max(...found.map(({ y, height }) => y + height));
  const clip = { x: left - 12, y: top - 12, width: right - left + 24, height: bottom - top + 24 };
  await page.screenshot({
    path: join(IMAGES, `${name}.png`),
    fullPage: true,
    ...(found.length === 0 ? {} : { clip }),
  });
  await context.close();
}

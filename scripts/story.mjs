// The services that the pictures of the web UI show, as a small company would have them: two targets of which one falls
// silent, people with tokens and commits of their own, and apps that run, crash, do not build, hang, wait and are stopped.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PATIENCE_MS = 300_000;
/** On a busy machine a server may take its time to answer. */
const PATIENTLY = ['--detach', '--give-up-after', '3m'];
const GOOD = `import { createServer } from 'node:http';
let isStuck = false;
const server = createServer((request, response) => {
  if (request.url === '/stick') isStuck = true;
  if (request.url === '/healthz' && isStuck) return response.writeHead(503).end('the queue is full\\n');
  response.end('well\\n');
});
server.listen(Number(process.env.PORT), () => console.log('listening on port ' + process.env.PORT));
process.once('SIGTERM', () => server.close().closeAllConnections());
`;
const READS_DATABASE = `console.log('reading configuration from the environment');
if (!process.env.DATABASE_URL) throw new Error('DATABASE_URL is required');
${GOOD}`;
const NO_SEARCH_INDEX = `console.log('opening the index');
throw new Error('connect ECONNREFUSED 10.0.4.7:9200');
`;
const NEVER_LISTENS = `console.log('warming the cache: 1 of 40 pages');
setInterval(() => {}, 60_000);
`;
const FAILING_BUILD = `console.log('reading docs/intro.md');
console.error('docs/intro.md:14 Error: unknown tag <Callout>');
process.exit(2);
`;
const LONG_BUILD = `console.log('compiling 214 files');
setTimeout(() => {}, 3_600_000);
`;

/**
 * @typedef {{ files: Record<string, string>, spec: object, by: string, message: string }} Version
 * @typedef {{ api: string, dir: string, data: string, evident: string }} Stage
 */

/** @param {string} program @param {object} [spec] */
const app = (program, spec = {}) => ({
  files: { 'server.mjs': program, 'package.json': JSON.stringify({ private: true }) },
  spec: { command: ['node', 'server.mjs'], health: { path: '/healthz' }, ...spec },
});

/** @param {string} program */
const built = (program) => ({
  files: {
    'build.mjs': program,
    'server.mjs': GOOD,
    'package.json': JSON.stringify({ private: true, scripts: { build: 'node build.mjs' } }),
  },
  spec: { command: ['node', 'server.mjs'], health: { path: '/healthz' } },
});

/** What runs before anything goes wrong. @type {Record<string, Version>} */
const FIRST = {
  'checkout@local': {
    ...app(READS_DATABASE, {
      replicas: 2,
      env: { DATABASE_URL: { secret: 'postgres://db/shop' }, LOG_LEVEL: 'info' },
    }),
    ...{ by: 'lee', message: 'Retry card capture once' },
  },
  'docs@local': { ...built("console.log('12 pages');"), by: 'jonas', message: 'Explain the sandbox' },
  'invoices@local': { ...app(GOOD, { replicas: 3 }), by: 'mei', message: 'Batch PDF rendering' },
  'web@local': { ...app(GOOD, { replicas: 2 }), by: 'lee', message: 'Smaller hero images' },
  'api@local': { ...built("console.log('done');"), by: 'mei', message: 'Page the list of orders' },
  'catalog@local': { ...app(GOOD, { replicas: 2 }), by: 'ana', message: 'Sort by what is in stock' },
  'storefront@local': { ...app(GOOD), by: 'ana', message: 'Lazy-load product images' },
  'mailer@local': {
    ...app("console.log('waiting for mail'); setInterval(() => {}, 60_000);", {
      port: null,
      health: undefined,
    }),
    ...{ by: 'jonas', message: 'Send receipts as text, too' },
  },
  'demo@local': { ...app(GOOD), by: 'priya', message: 'Show the new cart' },
  'kiosk@edge': { ...app(GOOD, { replicas: 2 }), by: 'tom', message: 'Larger touch targets' },
  'menu-sync@edge': { ...app(GOOD), by: 'tom', message: 'Ask for menus every minute' },
  'sensors@edge': { ...app(GOOD), by: 'tom', message: 'Read the cold store' },
};

/** What goes wrong, and what is under way. @type {Record<string, Version>} */
const SECOND = {
  'checkout@local': {
    ...app(READS_DATABASE, { replicas: 1, env: { TAX_TABLE: 'tax_rates_2027', LOG_LEVEL: 'info' } }),
    ...{ by: 'ana', message: 'Take tax from the new table' },
  },
  'search@local': { ...app(NO_SEARCH_INDEX), by: 'priya', message: 'Search by synonyms' },
  'docs@local': { ...built(FAILING_BUILD), by: 'jonas', message: 'Rewrite the quick start' },
  'web@local': { ...app(NEVER_LISTENS, { replicas: 2 }), by: 'lee', message: 'Warm the cache at the start' },
  'sensors@edge': { ...app(GOOD), by: 'tom', message: 'Read the freezers, too' },
  'api@local': { ...built(LONG_BUILD), by: 'mei', message: 'Typed clients' },
  'reports@local': { ...app(GOOD), by: 'priya', message: 'Totals by region' },
};

/** @type {Readonly<Record<string, string>>} */
const NAMES = {
  ...{ ana: 'Ana Ruiz', lee: 'Lee Park', mei: 'Mei Lin', jonas: 'Jonas Falk' },
  ...{ priya: 'Priya Nair', tom: 'Tom Weber' },
};

/**
 * Plays it on a server that is up. The answer ends the agent of the silent target.
 * @param {Stage} stage
 */
export async function play(stage) {
  const { api, dir, data, evident } = stage;
  const env = { ...process.env, EVIDENT_DATA: data };
  /** @param {string} token @param {string} cwd @param {string[]} args */
  const ask = async (token, cwd, ...args) => {
    const child = spawn(process.execPath, [evident, ...args], {
      ...{ cwd, env: { ...env, EVIDENT_SERVER: api, EVIDENT_TOKEN: token } },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.on('data', (text) => (said += text));
    child.stderr.on('data', (text) => (said += text));
    const code = await new Promise((done) => child.once('exit', done));
    return { code, said };
  };
  const admin = readFileSync(join(data, 'admin-token'), 'utf8').trim();
  /** @param {string[]} args */
  const token = async (...args) => {
    const { code, said } = await ask(admin, dir, 'tokens', 'create', '-o', 'json', ...args);
    if (code !== 0) throw new Error(`no token: ${said}`);
    return /** @type {string} */ (JSON.parse(said).token);
  };
  /** @type {Record<string, string>} */
  const people = {};
  for (const name of Object.keys(NAMES))
    people[name] = await token('--role', 'deployer', '--name', name, '--expires', '90d');

  const agentToken = await token('--role', 'agent', '--name', 'agent-edge', '--target', 'edge');
  const agent = spawn(
    process.execPath,
    [evident, 'agent', '--target', 'edge', '--data', join(dir, 'edge'), '--router-port', '0', '-o', 'json'],
    {
      env: {
        ...process.env,
        EVIDENT_DATA: join(dir, 'edge'),
        EVIDENT_SERVER: api,
        EVIDENT_TOKEN: agentToken,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  // Also where the story does not come to its end.
  process.once('exit', () => {
    agent.kill('SIGCONT');
    agent.kill('SIGTERM');
  });
  await new Promise((done) => agent.stdout.once('data', done));

  /** @param {string} ref @param {Version} version */
  const deploy = async (ref, { files, spec, by, message }) => {
    const folder = join(dir, 'apps', ref.split('@')[0] ?? ref);
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries({ ...files, 'evident.yaml': JSON.stringify(spec) }))
      writeFileSync(join(folder, name), text);
    await commit(folder, `${NAMES[by]}`, message);
    const { code, said } = await ask(people[by] ?? admin, folder, 'deploy', '--service', ref, ...PATIENTLY);
    if (code !== 0) throw new Error(`${ref} was not taken: ${said}`);
  };
  /** @returns {Promise<{ ref: string, urls: string[], claim: { state: string, desired: { revision: number } } }[]>} */
  const services = async () => {
    const answer = await fetch(`${api}/v1/services?limit=200`, {
      headers: { authorization: `Bearer ${admin}` },
    });
    return /** @type {any} */ (await answer.json()).items;
  };
  /** @param {string} ref @param {string} state @param {number} [revision] */
  const reaches = async (ref, state, revision = 1) => {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) {
      const { claim } = (await services()).find((one) => one.ref === ref) ?? {};
      if (claim?.state === state && claim.desired.revision === revision) return;
      await new Promise((done) => setTimeout(done, 300));
    }
    throw new Error(`${ref} did not become ${state}`);
  };

  for (const [ref, version] of Object.entries(FIRST)) await deploy(ref, version);
  for (const ref of Object.keys(FIRST)) await reaches(ref, 'running');

  await ask(people.priya ?? admin, dir, 'scale', 'demo@local', '0', '--detach');
  for (const ref of ['search@local', 'checkout@local', 'docs@local']) await deploy(ref, versionOf(ref));
  const invoices = (await services()).find(({ ref }) => ref === 'invoices@local');
  await fetch(new URL('/stick', invoices?.urls.at(-1)));
  for (const ref of ['search@local', 'checkout@local', 'docs@local'])
    await reaches(ref, 'failed', ref === 'search@local' ? 1 : 2);
  await reaches('invoices@local', 'degraded');
  await reaches('demo@local', 'stopped', 2);

  agent.kill('SIGSTOP');
  for (const ref of ['sensors@edge', 'web@local', 'api@local', 'reports@local'])
    await deploy(ref, versionOf(ref));
  await reaches('web@local', 'starting', 2);
  await reaches('kiosk@edge', 'unknown');
  return {
    people,
    /** The apps on it end with their agent. */
    async end() {
      agent.kill('SIGCONT');
      for (const ref of ['kiosk@edge', 'menu-sync@edge', 'sensors@edge'])
        await ask(admin, dir, 'teardown', ref, '--yes');
      agent.kill('SIGTERM');
    },
  };
}

/** @param {string} ref @returns {Version} */
function versionOf(ref) {
  const version = SECOND[ref];
  if (version === undefined) throw new Error(`the story has no second ${ref}`);
  return version;
}

/** Commits a folder as its author would. @param {string} folder @param {string} author @param {string} message */
async function commit(folder, author, message) {
  const mail = `${author.split(' ')[0]?.toLowerCase()}@larkfield.example`;
  const who = ['-c', `user.name=${author}`, '-c', `user.email=${mail}`];
  const isNew = !existsSync(join(folder, '.git'));
  for (const args of [
    ...(isNew ? [['init', '-q', '-b', 'main']] : []),
    ['add', '-A'],
    [...who, 'commit', '-q', '--allow-empty', '-m', message],
  ]) {
    const git = spawn('git', ['-C', folder, ...args], { stdio: 'inherit' });
    await new Promise((done) => git.once('exit', done));
  }
}

import type { Spec } from '../src/contract/intent.ts';

/** The behaviour of an app. Everything but `good` and `idle` is nasty in one way. */
export type AppKind =
  | 'good'
  | 'idle'
  | 'slow'
  | 'hung'
  | 'crash'
  | 'flood'
  | 'odd'
  | 'garbled'
  | 'daemon'
  | 'thief';

export interface SoakService {
  readonly name: string;
  readonly kind: AppKind;
  readonly replicas: number;
  /** Deployed, restarted, scaled, rolled back and torn down all the time. */
  readonly isBusy: boolean;
}

const TARGET = 'soak';
/** Restarts and replacements are seen soon; the window's own length is tried elsewhere. */
export const STABILITY_MS = 1_000;
/** For how long an answer of an instance counts: the probe's interval and its timeout. */
const PROBE_WINDOW_MS = 7_000;
const SLOW_ANSWER_MS = 3_000;
/** For how long the flooding app writes as fast as it can, once it is signalled. */
export const YES_MS = 8_000;
/** An app that let go of its port waits so long before it tries to have it back. */
const RELISTEN_MS = 1_500;
const SLOW_HEALTH = { path: '/health', intervalMs: 5_000, timeoutMs: 5_000 };

const service = (name: string, kind: AppKind, replicas = 1, isBusy = false): SoakService => ({
  ...{ name, kind, replicas, isBusy },
});

/** The good ones first. Of the nasty ones each has a row of its own in what is printed. */
export const SERVICES: readonly SoakService[] = [
  service('web-1', 'good'),
  service('web-2', 'good', 2),
  service('web-3', 'good'),
  service('web-4', 'good'),
  service('idle', 'idle'),
  service('busy-1', 'good', 1, true),
  service('busy-2', 'good', 2, true),
  service('busy-3', 'good', 1, true),
  service('slow', 'slow'),
  service('hung', 'hung', 3),
  service('crash', 'crash'),
  service('flood', 'flood'),
  service('odd', 'odd'),
  service('garbled', 'garbled'),
  service('daemon', 'daemon'),
  service('thief', 'thief'),
];

/** The row of a nasty app in the table; null: what befalls it belongs to the fault of the moment. */
export const APP_ROWS: Readonly<Record<AppKind, string | null>> = {
  good: null,
  idle: null,
  slow: 'app needs 3 s to answer (timeoutMs 5 s)',
  hung: 'app: one copy of three hangs',
  crash: 'app throws every 20 s',
  flood: 'app writes without end',
  odd: 'app answers some requests with malformed HTTP',
  garbled: 'app answers all requests with malformed HTTP',
  daemon: 'app daemonizes, clears its environment, leaves its group',
  thief: 'app requests the host name of another',
};

/** Deployed by its fault alone. */
export const isDeployedAtStart = ({ kind }: SoakService): boolean => kind !== 'thief';
/** The host name that the thief requests: it belongs to the first service. */
const STOLEN_HOST = 'web-1.localhost';

/** Every host name under which it must answer to be running. */
export const hostsIn = ({ name, kind }: SoakService): readonly string[] =>
  kind === 'thief' ? [`${name}.localhost`, STOLEN_HOST] : [`${name}.localhost`];

export const refOf = ({ name }: SoakService): string => `${name}@${TARGET}`;
export const SOAK_TARGET = TARGET;

/**
 * Neither an app that never answers in HTTP nor one whose first process ends at once is plainly good or plainly
 * broken: only `stopped` is held against them.
 */
export const isGreenJudged = ({ kind }: SoakService): boolean => kind !== 'garbled' && kind !== 'daemon';

export const probeWindowMs = ({ kind }: SoakService): number =>
  kind === 'slow' ? SLOW_HEALTH.intervalMs + SLOW_HEALTH.timeoutMs : PROBE_WINDOW_MS;

/** Bounds our own wait for an answer; after it there is none. */
export const patienceMs = ({ kind }: SoakService): number =>
  kind === 'slow' ? SLOW_HEALTH.timeoutMs : 2_000;

/**
 * How much later than anybody else we may find out that it answers again: the question of the moment may have to be given
 * up first, and the next one takes as long as an answer does.
 */
export const findsOutWithinMs = (service: SoakService): number =>
  patienceMs(service) + (service.kind === 'slow' ? SLOW_ANSWER_MS : 0);

export const appHasPort = ({ kind }: SoakService): boolean => kind !== 'idle';

/** @param run marks every process of this run, in its arguments, where everybody can read it */
export function specOf(service: SoakService, run: string, endsAt: number): Spec {
  const { name, kind, replicas } = service;
  return {
    command: ['node', 'app.js', `soak=${run}`, `service=${name}`, `kind=${kind}`, `ends=${endsAt}`],
    port: appHasPort(service) ? 3000 : null,
    replicas,
    stabilityMs: STABILITY_MS,
    build: false,
    ...(kind === 'slow' && { health: SLOW_HEALTH }),
    ...(kind === 'thief' && { route: { host: STOLEN_HOST } }),
  };
}

/**
 * One script for all kinds. It answers with the nonce it is asked with, its name and its revision, so that no other
 * process and no cache can answer in its place. It ends by itself when the run must be over.
 */
export const APP_SCRIPT = `
const { createServer } = require('node:http');
const raw = require('node:net');
const { spawn } = require('node:child_process');
const words = process.argv.slice(2);
const { service, kind, ends, ...own } = Object.fromEntries(words.map((word) => word.split('=')));
const port = Number(own.port ?? process.env.PORT);
const revision = own.revision ?? process.env.EVIDENT_REVISION;
const listen = (server) => {
  let hadIt = false;
  server.on('listening', () => { hadIt = true; });
  // An app that had the port and let go of it tries again until it is free; others end, as most apps do.
  server.on('error', () => (hadIt ? setTimeout(again, 300) : process.exit(1)));
  const again = () => server.listen(port, '127.0.0.1');
  again();
  process.on('SIGUSR2', () => {
    if (kind === 'flood' || !server.listening) return;
    server.close();
    server.closeAllConnections?.();
    setTimeout(again, ${RELISTEN_MS});
  });
};

setTimeout(() => process.exit(0), Number(ends) - Date.now());
process.on('SIGTERM', () => process.exit(0));

function answer(request, response) {
  const url = new URL(request.url, 'http://app');
  if (kind === 'odd' && url.pathname === '/odd')
    return response.socket.end('HTTP/1.1 000 X\\r\\nContent-Length: 2\\r\\n\\r\\nhi');
  if (kind === 'odd' && url.pathname === '/control')
    return response.socket.end('HTTP/1.1 200 O\\x01K\\r\\nContent-Length: 2\\r\\n\\r\\nhi');
  setTimeout(() => response.end([url.searchParams.get('nonce'), service, revision].join(' ')),
    kind === 'slow' ? ${SLOW_ANSWER_MS} : 0);
}

if (kind === 'idle') setInterval(() => {}, 1000);
else if (kind === 'garbled')
  listen(raw.createServer((socket) => {
    socket.on('error', () => {}).on('data', () => socket.end('HTTP/1.1 000 X\\r\\n\\r\\n'));
  }));
else if (kind === 'daemon' && own.port === undefined) {
  const daemon = [__filename, ...words, 'port=' + port, 'revision=' + revision];
  spawn(process.execPath, daemon, { detached: true, stdio: 'ignore', env: {} }).unref();
  setTimeout(() => process.exit(0), 500);
} else listen(createServer(answer));

// The processes that it leaves behind with each start would otherwise become too many.
if (kind === 'daemon') setTimeout(() => process.exit(0), 120_000);
if (kind === 'crash') setTimeout(() => { throw new Error('as it does every 20 s'); }, 20_000);
if (kind === 'flood') process.on('SIGUSR2', () => {
  const yes = spawn('timeout', ['-s', 'KILL', '${YES_MS / 1000}', 'yes'], { stdio: 'inherit' });
  yes.on('error', () => {});
});
if (kind === 'flood') setInterval(() => process.stdout.write('${'x'.repeat(99)}\\n'.repeat(800)), 10);
`;

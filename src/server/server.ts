import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { ArtifactStore } from '../artifact/store.ts';
import { ConnectionCap } from '../connections/connection-cap.ts';
import { connectionLimit } from '../connections/descriptor-limit.ts';
import { loopDelay } from '../event-loop/loop-delay.ts';
import { yieldingWhenDue } from '../event-loop/slices.ts';
import { headMissing, orgsWithoutHead, readableHead } from '../evidence/door/head-read.ts';
import { sharingHost } from '../evidence/door/host.ts';
import { recordSettings } from '../evidence/past/settings-then.ts';
import { survivedErrors } from '../last-resort/last-resort.ts';
import { LogStore } from '../logs/log-store.ts';
import { assertModel } from '../model/verify-model.ts';
import { DEFAULT_SETTINGS } from '../projection/facts.ts';
import { beat } from '../repair/beat.ts';
import { Incarnation } from '../repair/incarnation.ts';
import { makeDirectory } from '../store/make-directory.ts';
import type { ClosableStore } from '../store/port.ts';
import type { ClockSetBack } from '../store/steady-clock.ts';
import { Destinations } from '../webhooks/destination.ts';
import { WebhookSender } from '../webhooks/sender.ts';
import { ensureAdminToken, writePrivately } from './admin-token.ts';
import { ArchiveFiles } from './archive-files.ts';
import { Authenticator } from './auth/authenticate.ts';
import { makeLink } from './auth/links.ts';
import { TokenBook } from './auth/tokens.ts';
import { assertTimes, type Config } from './config.ts';
import type { ServerContext } from './context.ts';
import { markFiles, markText } from './files-mark.ts';
import { Hints } from './hints.ts';
import { createApp } from './http/app.ts';
import { Localhost } from './http/localhost.ts';
import { Loops } from './loops/loops.ts';
import { platformLoops } from './loops/platform-loops.ts';
import { Metrics } from './metrics.ts';
import { ownAddress } from './own-address.ts';
import { WebFiles } from './pages/web.ts';
import { StoreProbe } from './readiness.ts';
import { Uploads } from './reads/may-read.ts';
import { Secrets } from './reads/secrets.ts';
import { refuseMismatchedTiming } from './refuse-mismatched-timing.ts';
import { refuseSeparateFiles } from './refuse-separate-files.ts';
import { allRoutes } from './routes.ts';
import { Feeds } from './streams/feeds.ts';

export interface RunningServer {
  readonly api: string;
  readonly ui: string;
  stop(): Promise<void>;
}

/**
 * Assembles and stops the server. Starting is the same after a clean stop and after a crash: recovery runs
 * and blindness is recorded before any request is answered.
 */
/** Facts about the machine that the server cannot see for itself. */
interface ServerSurroundings {
  /** Apps run beside it as its own user: they can read its files (F127). */
  readonly openToApps: boolean;
}

export async function startServer(
  config: Config,
  log: FastifyBaseLogger,
  { openToApps = false }: Partial<ServerSurroundings> = {},
): Promise<RunningServer> {
  assertModel();
  assertTimes(config);
  makeDirectory(config.data);
  const store = await openStore(config, log);
  const closers: (() => Promise<void> | void)[] = [() => store.close()];
  // Crash-only: a part that fails to close is left as a crash would leave it.
  const closeAll = async () => {
    for (const close of closers.reverse())
      await Promise.resolve()
        .then(close)
        .catch((error: unknown) => log.warn({ err: error }, 'could not be closed in order'));
  };
  try {
    return await assemble({ ...config, openToApps }, log, store, closers, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function openStore(
  { data, database, freshForMs }: Config,
  log: FastifyBaseLogger,
): Promise<ClosableStore> {
  const options = {
    awayMs: freshForMs,
    onSetBack: ({ byMs, found }: ClockSetBack) =>
      log.warn(
        { byMs, found },
        'the clock of the store was set back; instants are ahead of it until it has caught up',
      ),
    onInstantIgnored: (instant: number) =>
      log.warn(
        { instant },
        'an instant in heads, beats or scopes is far ahead of the clock and of all else on record, and is not believed',
      ),
  };
  if (database !== null) {
    const { PostgresStore } = await import('../store/postgres/store.ts');
    return PostgresStore.open(database, { ...options, onUndisclosed: (sentence) => log.warn(sentence) });
  }
  const { SqliteStore } = await import('../store/sqlite/store.ts');
  const onRebuilt = (found: string) =>
    log.warn(
      { found },
      'indexes of the database did not agree with its tables, and were made anew from these',
    );
  return SqliteStore.open(data, { ...options, onRebuilt });
}

async function assemble(
  { openToApps, ...config }: Config & ServerSurroundings,
  log: FastifyBaseLogger,
  store: ClosableStore,
  closers: (() => Promise<void> | void)[],
  closeAll: () => Promise<void>,
): Promise<RunningServer> {
  const { freshForMs, reportEveryMs, leaseTtlMs } = config;
  const hints = new Hints();
  const readiness = new StoreProbe(store);
  const delay = loopDelay();
  const metrics: Metrics = new Metrics({
    streams: ['Open streams', () => feeds.streams],
    event_loop_delay_seconds: [
      'How long others waited for the one thread, at most, since this was last read',
      delay,
    ],
    connections: ['Open connections', () => cap.count],
    survived_errors: ['Uncaught errors that ended one exchange', survivedErrors],
    store_answers: ['1 while the store answers', async () => Number(await readiness.answers())],
  });
  const cap = new ConnectionCap(connectionLimit('server'));
  const settings = { ...DEFAULT_SETTINGS, freshForMs, reportEveryMs, leaseTtlMs };
  const host = sharingHost(store, settings, undefined, {
    onCommit: (news) => {
      hints.send(news);
      for (const { code, service, position } of news.alarms) {
        log.warn({ alarm: code, org: news.org, service, position }, 'alarm: this should never have happened');
        metrics.alarmed(code);
      }
    },
    yieldIfDue: yieldingWhenDue(),
  });
  const instance = `server-${randomUUID().slice(0, 8)}`;
  for (const head of await store.read((tx) => tx.select('heads', {}))) readableHead(head);
  const incarnation = await Incarnation.open(host, config.data, {
    recovered: (recovered) => log.warn({ recovered }, 'the store was restored or failed over'),
  });
  closers.push(() => incarnation.close());
  for (const org of await store.read(orgsWithoutHead)) throw headMissing(org);
  const files = config.files ?? config.data;
  const mark = config.database === null ? null : await markFiles(files);
  const beatOnce = () => beat(host, instance, mark === null ? null : markText(mark));
  if (mark !== null) await refuseMismatchedTiming(host);
  await recordSettings(host);
  await beatOnce();
  if (mark !== null) await refuseSeparateFiles(host, instance, mark);

  const tokens = new TokenBook(store, readiness);
  const adminToken = await ensureAdminToken(config.data, store, tokens);
  closers.push(await exchangeHints(config, hints));
  const stopping = new AbortController();
  const feedFailed = (error: unknown) => log.warn({ err: error }, 'a feed could not read on; it tries again');
  const feeds = new Feeds(host, hints, config.maxStreams, feedFailed);
  const loops = new Loops(log, metrics);
  const secrets = new Secrets(host);
  const destinations = new Destinations(config.webhookAllow);
  const context: ServerContext = {
    openToApps,
    destinations,
    config,
    host,
    tokens,
    auth: new Authenticator(tokens),
    hints: hints,
    feeds,
    artifacts: await ArtifactStore.open(join(files, 'artifacts'), {
      maxBytes: config.maxArtifactBytes,
      shared: config.database !== null,
    }),
    uploads: new Uploads(),
    logs: await LogStore.open(join(files, 'logs'), {
      secretsOf: (org, service) => secrets.of(org, service),
      isShared: config.database !== null,
    }),
    loops,
    metrics,
    secrets,
    web: WebFiles.find(),
    localhost: new Localhost(),
    log,
    stopping: stopping.signal,
    readiness,
  };
  const webhookSender = new WebhookSender({
    ...{ host, destinations, server: instance, stopping: stopping.signal },
    tried: (outcome) => metrics.triedWebhook(outcome),
    failed: (error, { org, id }) =>
      log.warn({ err: error, org, webhook: id }, 'a webhook could not be served; it is tried again'),
  });
  closers.push(() => webhookSender.stop());
  closers.push(() => loops.stop());
  const archiveFiles = new ArchiveFiles(join(files, 'archive'), instance);
  for (const loop of platformLoops({
    ...context,
    archiveFiles,
    incarnation,
    instance,
    beatOnce,
    webhookSender,
  }))
    loops.start(loop);
  closers.push(hints.onAny(({ recorded }) => recorded.length > 0 && loops.nudge('publisher')));
  closers.push(hints.onAny(({ moved }) => moved && webhookSender.isNeeded && loops.nudge('webhooks')));

  const app = await createApp(allRoutes(context), context);
  const watch = (server: HttpServer) =>
    cap.watch(server, (error) => log.warn({ err: error }, 'a connection could not be accepted'));
  await app.listen({ host: config.host, port: config.port });
  watch(app.server);
  const { port } = app.server.address() as AddressInfo;
  await context.localhost.claim(app, config.host, port);
  closers.push(() => context.localhost.close());
  closers.push(() => app.close());
  const api = ownAddress(config.host, port);
  const admin = await tokens.find(adminToken);
  const ui = admin === null ? api : `${api}/#link=${(await makeLink(store, admin)).link}`;
  const file = join(config.data, 'server.json');
  await writePrivately(file, `${JSON.stringify({ api, pid: process.pid, instance })}\n`);
  const stop = async () => {
    stopping.abort();
    feeds.stop();
    rmSync(file, { force: true });
    await closeAll();
  };
  return { api, ui, stop };
}

/** Servers on one PostgreSQL send each other hints. */
async function exchangeHints({ database }: Config, hints: Hints): Promise<() => Promise<void> | void> {
  if (database === null) return () => {};
  const { PostgresHints } = await import('../store/postgres/hints.ts');
  const others = new PostgresHints(database, (org, published) =>
    hints.send({ org, moved: true, recorded: [], published, alarms: [] }, 'elsewhere'),
  );
  hints.onAny(({ org, moved, published }, from) => {
    // A command that is recorded and not yet published concerns this server's own publisher alone.
    if (from === 'here' && (moved || published.length > 0)) others.notify(org, published);
  });
  return () => others.close();
}

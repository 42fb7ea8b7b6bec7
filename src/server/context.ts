import type { FastifyBaseLogger } from 'fastify';
import type { ArtifactStore } from '../artifact/store.ts';
import type { Host } from '../evidence/door/host.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { Destinations } from '../webhooks/destination.ts';
import type { Authenticator } from './auth/authenticate.ts';
import type { TokenBook } from './auth/tokens.ts';
import type { Config } from './config.ts';
import type { Hints } from './hints.ts';
import type { Localhost } from './http/localhost.ts';
import type { Loops } from './loops/loops.ts';
import type { Metrics } from './metrics.ts';
import type { WebFiles } from './pages/web.ts';
import type { StoreProbe } from './readiness.ts';
import type { Uploads } from './reads/may-read.ts';
import type { Secrets } from './reads/secrets.ts';
import type { Feeds } from './streams/feeds.ts';

/** Everything that routes and streams work with; assembled once, in server.ts. */
export interface ServerContext {
  readonly config: Config;
  readonly host: Host;
  readonly tokens: TokenBook;
  readonly auth: Authenticator;
  readonly hints: Hints;
  readonly feeds: Feeds;
  readonly artifacts: ArtifactStore;
  readonly uploads: Uploads;
  readonly logs: LogStore;
  readonly loops: Loops;
  readonly metrics: Metrics;
  readonly secrets: Secrets;
  /** Lets webhooks be sent to the internet, and to networks that the operator allows. */
  readonly destinations: Destinations;
  /** The web UI; null where it was not built. */
  readonly web: WebFiles | null;
  readonly localhost: Localhost;
  /** Apps run beside the server as its own user: no token may promise a border between them (F127). */
  readonly openToApps: boolean;
  readonly log: FastifyBaseLogger;
  /** Aborted when the server begins to stop; requests that wait for work are then answered. */
  readonly stopping: AbortSignal;
  readonly readiness: StoreProbe;
}

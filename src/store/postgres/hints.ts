import pg from 'pg';
import { destroySocket } from './connection.ts';

const CHANNEL = 'evident';
/**
 * The shortest time between two notifications about commands. Other news waits longer, to be sent with more
 * of it.
 */
const WORK_MS = 5;
const NEWS_MS = 25;
const RECONNECT_MS = 1_000;
const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;
const CLOSE_MS = 1_000;
const LONGEST_ORG = 200;
/** The number of commands in one notification, which may have 8,000 bytes. */
const COMMANDS = 40;

/**
 * Notifies other servers on the same database that an org has news and which commands were published, and
 * receives the same from them. A hint only: every server also looks once a second, so that a lost connection
 * or a pooler without LISTEN costs no more than that second (F50, F51). Hints are sent together, because
 * transactions with NOTIFY commit one at a time.
 */
export class PostgresHints {
  readonly #url: string;
  readonly #onHint: (org: string, published: readonly string[]) => void;
  readonly #pending = new Map<string, Set<string>>();
  #client: pg.Client | null = null;
  #reconnectTimer: NodeJS.Timeout | null = null;
  #notifyTimer: NodeJS.Timeout | null = null;
  #notifyAt = 0;
  #notifiedAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(url: string, onHint: (org: string, published: readonly string[]) => void) {
    this.#url = url;
    this.#onHint = onHint;
    void this.#connect();
  }

  notify(org: string, published: readonly string[]): void {
    if (this.#closed || org.length > LONGEST_ORG) return;
    const waiting = this.#pending.get(org) ?? new Set();
    for (const command of published) waiting.add(command);
    this.#pending.set(org, waiting);
    const now = performance.now();
    this.#schedule(now, published.length > 0 ? Math.max(now, this.#notifiedAt + WORK_MS) : now + NEWS_MS);
  }

  /** Schedules a notification, or joins one that is scheduled sooner. */
  #schedule(now: number, at: number): void {
    if (this.#notifyTimer !== null) {
      if (this.#notifyAt <= at) return;
      clearTimeout(this.#notifyTimer);
    }
    this.#notifyAt = at;
    this.#notifyTimer = setTimeout(() => {
      this.#notifyTimer = null;
      this.#notifiedAt = performance.now();
      const payloads = [...this.#pending].flatMap(([of, commands]) => payloadsOf(of, [...commands]));
      this.#pending.clear();
      const sent = this.#client?.query('SELECT pg_notify($1, o) FROM unnest($2::text[]) AS o', [
        CHANNEL,
        payloads,
      ]);
      sent?.catch(() => {});
    }, at - now);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#reconnectTimer !== null) clearTimeout(this.#reconnectTimer);
    if (this.#notifyTimer !== null) clearTimeout(this.#notifyTimer);
    const client = this.#client;
    if (client === null) return;
    const cut = setTimeout(() => destroySocket(client), CLOSE_MS);
    await client.end().catch(() => {});
    clearTimeout(cut);
  }

  async #connect(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'evident hints',
      connectionTimeoutMillis: CONNECT_MS,
      // The connection is silent while nobody has news; keep-alive finds out that the other side is gone.
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    const lost = () => {
      if (this.#client === client) this.#client = null;
      client.end().catch(() => {});
      if (this.#closed || this.#reconnectTimer !== null) return;
      this.#reconnectTimer = setTimeout(() => {
        this.#reconnectTimer = null;
        void this.#connect();
      }, RECONNECT_MS);
    };
    client.on('error', lost).on('end', lost);
    client.on('notification', ({ payload }) => {
      const hint = payload === undefined ? null : hintOf(payload);
      if (hint !== null) this.#onHint(...hint);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.#client = client;
    } catch {
      lost();
    }
  }
}

type Hint = readonly [org: string, published: readonly string[]];

function payloadsOf(org: string, published: readonly string[]): string[] {
  const payloads = [JSON.stringify([org, published.slice(0, COMMANDS)] satisfies Hint)];
  for (let i = COMMANDS; i < published.length; i += COMMANDS)
    payloads.push(JSON.stringify([org, published.slice(i, i + COMMANDS)] satisfies Hint));
  return payloads;
}

/** Null for a payload of a server that speaks another format; its news is found within the second. */
function hintOf(payload: string): Hint | null {
  try {
    const [org, published] = JSON.parse(payload) as Partial<Hint>;
    return typeof org === 'string' && Array.isArray(published) ? [org, published.map(String)] : null;
  } catch {
    return null;
  }
}

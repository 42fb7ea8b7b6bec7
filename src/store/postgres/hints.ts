import pg from 'pg';

const CHANNEL = 'evident';
const TOGETHER_MS = 5;
const AGAIN_MS = 1_000;
const LONGEST_ORG = 200;

/**
 * Tells other servers on the same database that an org may have news, and hears the same from them. A hint only:
 * whoever needs to know looks once a second as well, so that a lost connection or a pooler without LISTEN costs
 * no more than that second (F50, F51). Told together, because a transaction with NOTIFY commits alone.
 */
export class PostgresHints {
  readonly #url: string;
  readonly #heard: (org: string) => void;
  readonly #waiting = new Set<string>();
  #client: pg.Client | null = null;
  #timer: NodeJS.Timeout | null = null;
  #telling: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(url: string, heard: (org: string) => void) {
    this.#url = url;
    this.#heard = heard;
    void this.#connect();
  }

  tell(org: string): void {
    if (this.#closed || org.length > LONGEST_ORG) return;
    this.#waiting.add(org);
    this.#telling ??= setTimeout(() => {
      this.#telling = null;
      const orgs = [...this.#waiting];
      this.#waiting.clear();
      const told = this.#client?.query('SELECT pg_notify($1, o) FROM unnest($2::text[]) AS o', [
        CHANNEL,
        orgs,
      ]);
      told?.catch(() => {});
    }, TOGETHER_MS);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#telling !== null) clearTimeout(this.#telling);
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'evident hints',
      keepAlive: true,
    });
    const lost = () => {
      if (this.#client === client) this.#client = null;
      client.end().catch(() => {});
      if (this.#closed || this.#timer !== null) return;
      this.#timer = setTimeout(() => {
        this.#timer = null;
        void this.#connect();
      }, AGAIN_MS);
    };
    client.on('error', lost).on('end', lost);
    client.on('notification', ({ payload }) => payload && this.#heard(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.#client = client;
    } catch {
      lost();
    }
  }
}

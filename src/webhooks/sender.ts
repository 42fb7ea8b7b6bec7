import type { Host } from '../evidence/door/host.ts';
import { isIntact } from '../store/broken-row.ts';
import type { WebhookRow } from '../store/schema.ts';
import { deliver, type Outlet } from './deliver.ts';
import { gather, gatherIncidents } from './gather.ts';
import { holdWebhook, letGo } from './hold.ts';

/** Targets that are not known are looked for this often, at most. */
const LOOK_EVERY_MS = 5_000;

interface SenderContext extends Omit<Outlet, 'store'> {
  readonly host: Host;
  readonly failed: (error: unknown, webhook: Pick<WebhookRow, 'org' | 'id'>) => void;
}

/**
 * Serves all webhooks from what is on record. Each has a run of its own, so that one whose receiver hangs holds up no
 * other; a run goes on until nothing is due, and the next turn begins the next. Whatever a run leaves when its server is
 * killed, another server finds (F36).
 */
export class WebhookSender {
  readonly #context: SenderContext;
  readonly #outlet: Outlet;
  readonly #runs = new Map<string, Promise<void>>();
  readonly #lookedAt = new Map<string, number>();

  constructor(context: SenderContext) {
    this.#context = context;
    this.#outlet = { ...context, store: context.host.store };
  }

  /** True if there was anybody to send to at the last turn. */
  isNeeded = false;

  async turn(): Promise<void> {
    const { host, failed, stopping } = this.#context;
    const rows = await host.store.read((tx) => tx.select('webhooks', { endedAt: null }));
    this.#forgetOthers(rows.filter(isIntact));
    for (const hook of rows.filter(isIntact)) {
      const key = `${hook.org}/${hook.id}`;
      if (this.#runs.has(key) || stopping.aborted) continue;
      const run = this.#serve(hook)
        .catch((error: unknown) => failed(error, hook))
        .finally(() => this.#runs.delete(key));
      this.#runs.set(key, run);
    }
    this.isNeeded = rows.length > 0;
  }

  /** Resolves when no run is under way any more. */
  async stop(): Promise<void> {
    await Promise.all(this.#runs.values());
    const { host, server } = this.#context;
    const rows = await host.store.read((tx) => tx.select('webhooks', { holder: server, endedAt: null }));
    for (const hook of rows.filter(isIntact)) await letGo(host.store, hook, server);
  }

  async #serve(named: WebhookRow): Promise<void> {
    const { host, server, stopping } = this.#context;
    for (let isMore = true; isMore && !stopping.aborted; ) {
      const hook = await holdWebhook(host.store, named, server);
      if (hook === null) return;
      if (this.#isTimeToLook(hook)) await gatherIncidents(host, hook, server);
      const hasMoreNews = await gather(host, hook, server);
      const sent = await deliver(this.#outlet, hook);
      isMore = hasMoreNews || sent > 0;
    }
  }

  #forgetOthers(hooks: readonly WebhookRow[]): void {
    const keys = new Set(hooks.map(({ org, id }) => `${org}/${id}`));
    for (const key of this.#lookedAt.keys()) if (!keys.has(key)) this.#lookedAt.delete(key);
  }

  /** Incidents last: looking a tenth of their grace apart is soon enough. */
  #isTimeToLook({ org, id, graceMs }: WebhookRow): boolean {
    const key = `${org}/${id}`;
    const now = performance.now();
    if (now - (this.#lookedAt.get(key) ?? Number.NEGATIVE_INFINITY) < Math.min(graceMs / 10, LOOK_EVERY_MS))
      return false;
    this.#lookedAt.set(key, now);
    return true;
  }
}

import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics for Prometheus: numbers and names of the server's own, never an id of a user's (S15). */
export class Metrics {
  readonly registry = new Registry();
  readonly #answers = new Histogram({
    name: 'evident_http_seconds',
    help: 'How long answers took',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 40],
    registers: [this.registry],
  });
  readonly #evidence = new Counter({
    name: 'evident_evidence_total',
    help: 'Evidence by its verdict',
    labelNames: ['verdict', 'reason'],
    registers: [this.registry],
  });
  readonly #alarms = new Counter({
    name: 'evident_alarms_total',
    help: 'What should never have happened, by its code, as this server wrote it down',
    labelNames: ['code'],
    registers: [this.registry],
  });
  readonly #turns = new Counter({
    name: 'evident_loop_turns_total',
    help: 'Turns of publisher, sweeper and the other loops',
    labelNames: ['loop', 'result'],
    registers: [this.registry],
  });
  readonly #beats = new Gauge({
    name: 'evident_loop_last_turn_timestamp_seconds',
    help: 'When a loop last ended a turn without failing',
    labelNames: ['loop'],
    registers: [this.registry],
  });

  readonly #webhooks = new Counter({
    name: 'evident_webhook_tries_total',
    help: 'Tries to send what a webhook asked for: delivered, failed and tried again later, or dead',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  constructor(
    gauges: Readonly<Record<string, readonly [help: string, read: () => number | Promise<number>]>>,
  ) {
    for (const [name, [help, read]] of Object.entries(gauges)) {
      new Gauge({
        name: `evident_${name}`,
        help,
        registers: [this.registry],
        async collect() {
          this.set(await read());
        },
      });
    }
  }

  answered(method: string, route: string, status: number, ms: number): void {
    this.#answers.observe({ method, route, status: String(status) }, ms / 1000);
  }

  judged(verdict: string, reason: string): void {
    this.#evidence.inc({ verdict, reason });
  }

  /** Counts transitions that no table lists under one code. */
  alarmed(code: string): void {
    this.#alarms.inc({ code: code.startsWith('unlisted transition') ? 'unlisted_transition' : code });
  }

  triedWebhook(outcome: 'delivered' | 'failed' | 'dead'): void {
    this.#webhooks.inc({ outcome });
  }

  turned(loop: string, ok: boolean): void {
    this.#turns.inc({ loop, result: ok ? 'ok' : 'failed' });
    if (ok) this.#beats.set({ loop }, Date.now() / 1000);
  }
}

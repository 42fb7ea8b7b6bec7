import type { Claim } from '../../contract/claim.ts';
import { failureOutputOf, troubledStream } from '../../contract/presentation/error-lines/failure-output.ts';
import type { Host } from '../../evidence/door/host.ts';
import type { LogStore } from '../../logs/log-store.ts';

/** Fewer than where one failure is explained: a list reads many logs. */
const LINES_READ = 200;
/** Caps the logs that one answer reads; the next answer has the rest, because these are kept. */
const MOST_READ = 50;
const MOST_KEPT = 5_000;
const MOST_CHARACTERS = 300;
/** An app that fails goes on writing; what it wrote before rarely names another cause. */
const KEPT_MS = 30_000;

/** Causes that say that the app itself ended. */
const ENDED: ReadonlySet<string> = new Set(['crash_loop', 'exited', 'signalled', 'unsteady']);

interface KeptLine {
  /** The line that names the cause. */
  readonly headline: string | null;
  /** The last line that says anything. */
  readonly last: string | null;
  readonly readAt: number;
}

/**
 * The lines of logs that name why services failed or are degraded. Reads a log once in a while, however many look at the
 * list, and no log of a service that needs nobody.
 */
export class FailingLines {
  readonly #logs: Pick<LogStore, 'read'>;
  readonly #now: () => number;
  readonly #kept = new Map<string, KeptLine>();

  constructor(logs: Pick<LogStore, 'read'>, now: () => number = performance.now.bind(performance)) {
    this.#logs = logs;
    this.#now = now;
  }

  /** By the name of the service; one without a line is left out. */
  async of(host: Pick<Host, 'yieldIfDue'>, org: string, claims: readonly Claim[]) {
    const lines = new Map<string, string>();
    let left = MOST_READ;
    for (const claim of claims) {
      const stream = troubledStream(claim);
      if (stream === null) continue;
      const { service, desired } = claim;
      const { revision, attempt } = desired;
      const key = JSON.stringify([org, service, revision, attempt, stream]);
      const kept = this.#kept.get(key);
      const isOld = kept === undefined || this.#now() - kept.readAt > KEPT_MS;
      if (isOld && left > 0) {
        left -= 1;
        const query = { service, revision, attempt, stream, tail: LINES_READ };
        this.#keep(key, await this.#logs.read(org, query).catch(() => []));
        await host.yieldIfDue?.();
      }
      const { headline = null, last = null } = this.#kept.get(key) ?? {};
      // The last lines of a process that goes on say nothing of its trouble; one that ended may have named it.
      const line = headline ?? (stream === 'build' || ENDED.has(claim.cause?.code ?? '') ? last : null);
      if (line !== null) lines.set(service, line);
    }
    return lines;
  }

  #keep(key: string, output: readonly { readonly line: string; readonly notice?: true }[]): void {
    this.#kept.delete(key);
    this.#kept.set(key, { ...failingLinesOf(output), readAt: this.#now() });
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
  }
}

function failingLinesOf(output: readonly { readonly line: string; readonly notice?: true }[]) {
  const lines = output.filter(({ notice }) => !notice).map(({ line }) => line);
  const found = failureOutputOf(lines);
  const short = (line: string | null | undefined) => line?.trim().slice(0, MOST_CHARACTERS) ?? null;
  return { headline: short(found.headline), last: short(found.lines.findLast((one) => one.trim() !== '')) };
}

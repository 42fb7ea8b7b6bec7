import pc from 'picocolors';
import type { Caller } from '../access/caller.ts';
import type { Claim } from '../contract/claim.ts';
import type { ItemResult } from '../contract/evidence.ts';
import type { Answer } from '../contract/problem.ts';
import type { State, TokenRole } from '../contract/vocabulary.ts';
import type { Host } from '../evidence/door/host.ts';
import { claimNow } from '../evidence/read.ts';
import { DEFAULT_SETTINGS } from '../projection/facts.ts';
import { sweep } from '../repair/sweep.ts';
import { readable } from '../store/broken-row.ts';
import { SqliteStore } from '../store/sqlite/store.ts';

const SERVICE = 'web@lab';

const GLYPHS: Readonly<Record<State, string>> = {
  accepted: pc.cyan('●'),
  waiting_for_worker: pc.cyan('●'),
  building: pc.cyan('●'),
  artifact_ready: pc.cyan('●'),
  applying_runtime_state: pc.cyan('●'),
  starting: pc.cyan('●'),
  running: pc.green('✓'),
  degraded: pc.yellow('!'),
  failed: pc.red('✗'),
  cancelling: pc.cyan('●'),
  cancelled: pc.dim('–'),
  stopping: pc.cyan('●'),
  stopped: pc.dim('–'),
  unknown: pc.yellow('?'),
};

/**
 * The platform of the story: SQLite in a directory, a clock that the narrator moves, and the claim printed as it
 * changes. The clock starts where the last run left it, or now; it never goes back behind the ledger.
 */
export class StoryPlatform {
  readonly service = SERVICE;
  readonly org = 'default';
  readonly store: SqliteStore;
  readonly host: Host;
  /** The number of this run: each run has processes of its own. */
  readonly output: number;
  readonly #clock: { now: number };
  #said = '';

  private constructor(store: SqliteStore, clock: { now: number }, output: number) {
    this.store = store;
    this.host = { store, settings: DEFAULT_SETTINGS };
    this.#clock = clock;
    this.output = output;
  }

  static async open(dir: string): Promise<StoryPlatform> {
    const clock = { now: Date.now() };
    const store = await SqliteStore.open(dir, { clock: () => clock.now });
    const stored = await store.read(async (tx) => ({
      head: await tx.get('heads', { org: 'default' }),
      service: await tx.get('services', { org: 'default', service: SERVICE }),
    }));
    clock.now = Math.max(clock.now, (readable(stored.head).at ?? 0) + 1_000);
    return new StoryPlatform(store, clock, (readable(stored.service).newest ?? 0) + 1);
  }

  as(role: TokenRole, name: string): Caller {
    return { org: this.org, role, name, instance: `${name}-${this.output}`, target: '*', service: '*' };
  }

  get now(): number {
    return this.#clock.now;
  }

  say(text: string): void {
    console.log(`\n${pc.dim(clock(this.now))}  ${pc.bold(text)}`);
  }

  /** Lets time pass: the sweeper runs every second, and the other actors may act meanwhile. */
  async pass(
    seconds: number,
    meanwhile: (second: number) => Promise<unknown> = async () => {},
  ): Promise<void> {
    for (let second = 1; second <= seconds; second++) {
      this.#clock.now += 1_000;
      await meanwhile(second);
      await this.claim();
      await sweep(this.host, { name: 'server', instance: 'server-1' }, this.org);
      await this.claim();
    }
  }

  /** Prints the claim if it has changed. */
  async claim(): Promise<Claim | null> {
    const answer = await claimNow(this.host, this.org, SERVICE);
    if (!answer.ok) return null;
    const { claim } = answer;
    const line = claimLine(claim);
    if (line !== this.#said) console.log(`${pc.dim(clock(this.now))}  ${line}`);
    this.#said = line;
    return claim;
  }

  verdicts(results: readonly ItemResult[]): void {
    for (const { verdict, reason, position } of results) {
      const text = verdict === 'admitted' ? pc.green('admitted') : pc.red(`refused: ${reason}`);
      console.log(`          ${pc.dim('evidence')} ${text} ${pc.dim(`(kept at position ${position})`)}`);
    }
  }
}

function claimLine(claim: Claim): string {
  const why = claim.cause === null ? '' : pc.dim(` · ${claim.cause.code}`);
  const last = claim.lastKnown === null ? '' : pc.dim(` · last known ${claim.lastKnown.state}`);
  return `  ${GLYPHS[claim.state]} ${claim.state.padEnd(22)} ${claim.message.title}${why}${last}`;
}

function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** Unwraps an answer. In the story only the refusals it is about may happen. */
export function granted<T extends object>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(`the story cannot go on: ${answer.code}: ${answer.detail}`);
  return answer;
}

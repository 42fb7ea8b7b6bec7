import pc from 'picocolors';
import type { Claim } from '../contract/claim.ts';
import type { ItemResult } from '../contract/evidence.ts';
import type { Answer } from '../contract/problem.ts';
import type { State } from '../contract/vocabulary.ts';
import type { Caller, TokenRole } from '../evidence/caller.ts';
import type { Host } from '../evidence/host.ts';
import { claimNow } from '../evidence/read.ts';
import { DEFAULT_SETTINGS } from '../projection/facts.ts';
import { sweep } from '../repair/sweep.ts';
import { MemoryStore } from '../store/memory.ts';

const SERVICE = 'web@lab';
const START = Date.UTC(2026, 10, 14, 14, 2, 0);

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

/** Where the story happens: a store in memory, a clock that the teller moves, and the claim printed as it changes. */
export class Stage {
  readonly service = SERVICE;
  readonly org = 'default';
  readonly store: MemoryStore;
  readonly host: Host;
  #now = START;
  #said = '';

  constructor() {
    this.store = new MemoryStore(() => this.#now);
    this.host = { store: this.store, settings: DEFAULT_SETTINGS };
  }

  as(role: TokenRole, name: string): Caller {
    return { org: this.org, role, name, instance: `${name}-1`, target: '*', service: '*' };
  }

  get now(): number {
    return this.#now;
  }

  say(text: string): void {
    console.log(`\n${pc.dim(clock(this.#now))}  ${pc.bold(text)}`);
  }

  /** Time passes, the sweeper takes its turn every second, and whoever is awake may do something meanwhile. */
  async pass(
    seconds: number,
    meanwhile: (second: number) => Promise<unknown> = async () => {},
  ): Promise<void> {
    for (let second = 1; second <= seconds; second++) {
      this.#now += 1_000;
      await meanwhile(second);
      await this.claim();
      await sweep(this.host, { name: 'server', instance: 'server-1' }, this.org);
      await this.claim();
    }
  }

  /** Prints the claim if it says anything new. */
  async claim(): Promise<Claim | null> {
    const answer = await claimNow(this.host, this.org, SERVICE);
    if (!answer.ok) return null;
    const { claim } = answer;
    const line = claimLine(claim);
    if (line !== this.#said) console.log(`${pc.dim(clock(this.#now))}  ${line}`);
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
  const known = claim.lastKnown === null ? '' : pc.dim(` · last known ${claim.lastKnown.state}`);
  return `  ${GLYPHS[claim.state]} ${claim.state.padEnd(22)} ${claim.message.title}${why}${known}`;
}

function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** In the story nothing is refused but what the story is about. */
export function granted<T extends object>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(`the story cannot go on: ${answer.code}: ${answer.detail}`);
  return answer;
}

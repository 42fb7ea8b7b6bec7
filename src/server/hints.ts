import { type Binding, isBoundTo } from '../access/binding.ts';
import { aboutCommand, commandKind } from '../contract/command-id.ts';
import { targetOf } from '../contract/names.ts';
import type { CommandKind } from '../contract/vocabulary.ts';
import type { CommitNotice } from '../evidence/door/host.ts';

/** The commands that a waiting worker or agent could take. */
export interface WantedCommands extends Binding {
  readonly kinds: readonly CommandKind[];
  /** Undefined: of any target that the binding covers. */
  readonly of: string | undefined;
}

/** A request for work, from before its first look until it is answered. */
interface Waiter {
  /** Resolves when there may be something to take, after `ms` without a hint, or when `signal` is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  leave(): void;
}

interface InLine {
  readonly wanted: WantedCommands;
  /** The command that the waiter was woken for, until it has looked for it. */
  for: string | null;
  wake: (() => void) | null;
}

/**
 * Hints that something in an org may have happened. A hint is only a reason to look sooner: every listener also looks
 * once a second, and a lost hint costs no more than that (F51).
 *
 * A command hints one who can take it, the one that has waited longest, and not all who wait: a thousand workers
 * cost a command no more than one. Rejected: one hint for everything that was posted; then each heartbeat of each
 * lease made every waiting worker ask the store again.
 */
export class Hints {
  readonly #readers = new Map<string, Set<() => void>>();
  readonly #lines = new Map<string, Set<InLine>>();
  readonly #everywhere = new Set<(news: CommitNotice, from: 'here' | 'elsewhere') => void>();

  /** Passes on what a commit has changed, here or at another server. */
  send(news: CommitNotice, from: 'here' | 'elsewhere' = 'here'): void {
    if (news.moved) for (const wake of [...(this.#readers.get(news.org) ?? [])]) wake();
    for (const command of news.published) this.#offer(news.org, command);
    for (const listen of this.#everywhere) listen(news, from);
  }

  /** Calls `wake` each time the org's ledger has grown. */
  onMoved(org: string, wake: () => void): () => void {
    const set = this.#readers.get(org) ?? new Set();
    this.#readers.set(org, set.add(wake));
    return () => {
      set.delete(wake);
      if (set.size === 0 && this.#readers.get(org) === set) this.#readers.delete(org);
    };
  }

  onAny(listen: (news: CommitNotice, from: 'here' | 'elsewhere') => void): () => void {
    this.#everywhere.add(listen);
    return () => this.#everywhere.delete(listen);
  }

  /** Call it before the first look, so that a command that is published meanwhile is not missed. */
  waitForWork(org: string, wanted: WantedCommands): Waiter {
    const line = this.#lines.get(org) ?? new Set();
    const mine: InLine = { wanted, for: null, wake: null };
    this.#lines.set(org, line.add(mine));
    return {
      wait: (ms, signal) => {
        if (signal.aborted) return Promise.resolve();
        return new Promise((resolve) => {
          const done = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            mine.wake = null;
            if (mine.for !== null && !signal.aborted) {
              // The waiter looks for the command that it was woken for; if it does not get it, it waits
              // behind the others.
              mine.for = null;
              line.delete(mine);
              line.add(mine);
            }
            resolve();
          };
          const timer = setTimeout(done, ms);
          signal.addEventListener('abort', done);
          mine.wake = done;
          if (mine.for !== null) done();
        });
      },
      leave: () => {
        line.delete(mine);
        if (line.size === 0 && this.#lines.get(org) === line) this.#lines.delete(org);
        // The waiter was woken for one command and leaves with another, or is gone: the command is offered to
        // the next.
        if (mine.for !== null) this.#offer(org, mine.for);
      },
    };
  }

  #offer(org: string, command: string): void {
    const about = aboutCommand(command);
    const kind = commandKind(command);
    if (about === null || kind === null) return;
    for (const one of this.#lines.get(org) ?? []) {
      if (one.for !== null || !takes(one.wanted, kind, about.service)) continue;
      one.for = command;
      one.wake?.();
      return;
    }
  }
}

function takes(wanted: WantedCommands, kind: CommandKind, service: string): boolean {
  const { of } = wanted;
  if (!wanted.kinds.includes(kind) || !isBoundTo(wanted, service)) return false;
  return of === undefined || of === targetOf(service);
}

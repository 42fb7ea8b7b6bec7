import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeptDoubts } from '../observe/cluster-observer.ts';

/** Keeps over a restart what the agent must know of its cluster: a restored database, and pods that are not proven gone. */
interface ClusterMemory extends KeptDoubts {
  /** The cluster that it is about. */
  readonly identity: string;
  /** By kind and place: a consistent read below it is of a restored cluster (rule 1). */
  readonly highest: Readonly<Record<string, string>>;
}

/**
 * The memory of one cluster, in the agent's own directory. A file that cannot be read is none: then the agent knows as
 * little as one that comes for the first time.
 */
export class MemoryFile {
  readonly #path: string | null;
  readonly #identity: string;
  #highest: ClusterMemory['highest'];
  #written = '';
  readonly before: ClusterMemory | null;

  /** @param dir null: nothing is remembered */
  constructor(dir: string | null, identity: string) {
    this.#path = dir === null ? null : join(dir, 'cluster.json');
    this.#identity = identity;
    this.before = this.#path === null ? null : readMemory(this.#path, identity);
    this.#highest = this.before?.highest ?? {};
  }

  /** Versions that are not proven now stay as they were: a restart meanwhile must not forget them. */
  write(highest: ClusterMemory['highest'], doubts: KeptDoubts | null): void {
    if (this.#path === null || doubts === null) return;
    this.#highest = { ...this.#highest, ...highest };
    const memory: ClusterMemory = { identity: this.#identity, highest: this.#highest, ...doubts };
    const text = JSON.stringify(memory);
    if (text === this.#written) return;
    mkdirSync(join(this.#path, '..'), { recursive: true });
    writeFileSync(`${this.#path}.tmp`, text, { mode: 0o600 });
    renameSync(`${this.#path}.tmp`, this.#path);
    this.#written = text;
  }
}

function readMemory(path: string, identity: string): ClusterMemory | null {
  try {
    const memory = JSON.parse(readFileSync(path, 'utf8')) as ClusterMemory;
    const isWhole = Array.isArray(memory.restored) && Array.isArray(memory.vanished);
    return memory.identity === identity && isWhole && typeof memory.highest === 'object' ? memory : null;
  } catch {
    return null;
  }
}

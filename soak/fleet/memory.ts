import { readFileSync } from 'node:fs';
import type { FleetPart } from './part.ts';

const LOOK_MS = 1_000;

/** Looks how much memory the programs have: what one app writes must not fill the memory of those who read it (F121). */
export class MemoryWatch {
  readonly most: Record<string, number> = {};
  readonly #parts: readonly FleetPart[];
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: readonly FleetPart[]) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const { name, pid } of this.#parts)
      this.most[name] = Math.max(this.most[name] ?? 0, pid === null ? 0 : residentBytes(pid));
  }
}

/** 0: it has ended. */
function residentBytes(pid: number): number {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

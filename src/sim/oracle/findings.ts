import type { Violation } from '../oracle-port.ts';

/** What the oracle has found: the first violation ends a schedule; the counts say what was really put to the test. */
export class Findings {
  first: Violation | null = null;
  readonly counts: Record<string, number> = {};

  /** Only where a check was exercised on something that could have failed it. */
  count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }

  broken(invariant: string, detail: string): void {
    this.first ??= { invariant, detail };
  }
}

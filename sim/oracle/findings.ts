import type { Violation } from '../oracle-port.ts';
import { type Counter, noCounts } from './counters.ts';

/** The oracle's results: the first violation ends a schedule; the counts say how often each rule was put to the test. */
export class Findings {
  first: Violation | null = null;
  readonly counts = noCounts();

  /** Only where a check was exercised on something that could have failed it. */
  count(name: Counter): void {
    this.counts[name]++;
  }

  broken(invariant: string, detail: string): void {
    this.first ??= { invariant, detail };
  }
}

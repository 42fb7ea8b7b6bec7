import type { ClusterProblem } from '../api/problem.ts';

/** A try that fails alone is tried again, and nobody has to know. */
const LASTS_MS = 3_000;

/** The cluster does not answer, whatever it would say: a refusal is an answer. */
const OUTAGES: ReadonlySet<ClusterProblem['kind']> = new Set(['unreachable', 'timed_out', 'unavailable']);

/** Says to the agent's own operator once that the cluster does not answer, with the error, and once that it does again. */
export class ClusterOutages {
  readonly #say: (line: string) => void;
  #since: number | null = null;
  #isSaid = false;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** @param problems of everything that is read, null where nothing is wrong */
  hear(problems: readonly (ClusterProblem | null)[], now: number): void {
    const problem = problems.find((one) => one !== null && OUTAGES.has(one.kind)) ?? null;
    if (problem === null) {
      if (this.#isSaid && this.#since !== null)
        this.#say(`The cluster answers again, after ${Math.round((now - this.#since) / 1_000)} s.`);
      this.#since = null;
      this.#isSaid = false;
      return;
    }
    this.#since ??= now;
    if (this.#isSaid || now - this.#since < LASTS_MS) return;
    this.#isSaid = true;
    this.#say(`The cluster does not answer, and what runs there is less and less known: ${problem.message}`);
  }
}

import type { ClusterProblem } from '../api/problem.ts';

/** Says to the agent's own operator what the cluster refuses, with the permission that is missing, and when it is over. */
export class RefusalLog {
  readonly #say: (line: string) => void;
  /** By place, the refusal that was said last. */
  readonly #said = new Map<string, string>();

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  hear(place: string, problem: ClusterProblem | null): void {
    const isRefusal = problem?.kind === 'forbidden' || problem?.kind === 'unauthorized';
    const message = isRefusal ? problem.message : null;
    const before = this.#said.get(place) ?? null;
    if (message === before) return;
    if (message !== null) {
      this.#said.set(place, message);
      this.#say(`${place} may not be read, and what is there is unknown: ${message}`);
    } else if (problem === null) {
      // Another problem in between does not prove that it may be read.
      this.#said.delete(place);
      this.#say(`${place} may be read again.`);
    }
  }
}

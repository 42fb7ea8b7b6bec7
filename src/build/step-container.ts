import type { ChildProcess } from 'node:child_process';

/** Holds together what a step starts, also what leaves its process group and its environment. */
export interface StepContainer {
  /** The argv and further descriptors that start the program inside. */
  command(
    words: readonly string[],
    dir: string,
  ): { readonly words: readonly string[]; readonly pipes: readonly 'pipe'[] };
  /** Lets the program begin. */
  begin(child: ChildProcess): Promise<unknown>;
  /** Resolves when nothing is inside any more. */
  end(): Promise<unknown>;
}

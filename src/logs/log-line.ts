import type { AttemptNumber } from './log-path.ts';

export type StreamKey = AttemptNumber & { readonly service: string; readonly stream: 'build' | 'run' };

export interface LogQuery {
  readonly service: string;
  readonly stream: 'build' | 'run';
  /** Undefined: the newest attempt that has lines of this stream. */
  readonly revision?: number | undefined;
  readonly attempt?: number | undefined;
  readonly instance?: string | undefined;
  readonly tail: number;
}

/** A line as it is shown. A notice stands where lines are missing, with the number of the line that follows. */
export interface LogLine extends StreamKey {
  readonly instance: string | null;
  /** The command that the line was written under: detail for operators. */
  readonly command: string | null;
  readonly fence: string | null;
  readonly epoch: string | null;
  readonly seq: string;
  readonly at: string;
  readonly line: string;
  readonly notice?: true;
}

import type { BuildCode } from '../contract/vocabulary.ts';

export type Port = number | 'auto' | null;
export type CommandWords = string | readonly string[];

/** One program that is run in the folder, without a shell. */
export interface Step {
  /** For people: "npm ci". */
  readonly name: string;
  readonly argv: readonly string[];
  /** What it means when it ends with another code than 0. */
  readonly failure: BuildCode;
}

/** Installs what the app depends on. */
export interface Install {
  readonly steps: readonly Step[];
  /** The folder that they fill, and what it depends on: with the same of these it need not be filled again. */
  readonly cache: { readonly folder: string; readonly keys: readonly string[] } | null;
}

/** How it is started. `site`: files of that folder are served; `built_site`: of the first of those that the build made. */
export type Start =
  | { readonly kind: 'command'; readonly command: CommandWords }
  | { readonly kind: 'site'; readonly root: string }
  | { readonly kind: 'built_site'; readonly roots: readonly string[] };

/** What one language knows of a folder. */
export interface Part {
  readonly what: string;
  readonly installs: readonly Install[];
  readonly builds: readonly Step[];
  readonly start: Start | null;
}

/** All that has to be done to make an artifact of a folder. */
export interface Recipe {
  readonly what: readonly string[];
  /** What the user should know of how it was read. */
  readonly notes: readonly string[];
  readonly installs: readonly Install[];
  readonly builds: readonly Step[];
  readonly start: Start;
  readonly port: Port;
  /** Plain variables for the build. */
  readonly env: Readonly<Record<string, string>>;
}

/** A build that cannot come to an artifact. `message` is for operators and the build's log. */
export class BuildFailure extends Error {
  override readonly name = 'BuildFailure';
  readonly code: BuildCode | 'build_timed_out';
  readonly exitCode: number | undefined;
  readonly retrySafe: boolean;
  constructor(
    code: BuildCode | 'build_timed_out',
    message: string,
    more: { readonly exitCode?: number; readonly retrySafe?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.exitCode = more.exitCode;
    this.retrySafe = more.retrySafe ?? true;
  }
}

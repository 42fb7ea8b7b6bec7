import type { BuildCode } from '../contract/vocabulary.ts';

export type Port = number | 'auto' | null;
export type CommandWords = string | readonly string[];

/** One program that runs in the folder, without a shell. */
export interface RecipeStep {
  /** Shown to people: "npm ci". */
  readonly name: string;
  readonly argv: readonly string[];
  /** The build code for an exit code other than 0. */
  readonly failure: BuildCode;
  /** The npm package of its program, where a builder may lack that; `isPinned`: the project names this version. */
  readonly tool?: { readonly package: string; readonly isPinned: boolean };
  /** The folder that it runs in, seen from the top of the source, if that is not the app's. */
  readonly dir?: string;
}

/** Installs the dependencies of the app. */
export interface Install {
  /** It runs at the top of the source, for all packages of a workspace. */
  readonly atTop?: true;
  readonly steps: readonly RecipeStep[];
  /**
   * The folder that the install fills, and the files that decide its content: while these are the same, it is
   * taken from the cache.
   */
  readonly cache: { readonly folder: string; readonly keys: readonly string[] } | null;
}

/**
 * The way to start the app. `site` serves the files of that folder; `built_site` serves the first of those
 * folders that the build created.
 */
export type Start =
  | { readonly kind: 'command'; readonly command: CommandWords }
  | { readonly kind: 'site'; readonly root: string }
  | { readonly kind: 'built_site'; readonly roots: readonly string[] };

/** The share of one language in a recipe. */
export interface Part {
  readonly what: string;
  readonly installs: readonly Install[];
  readonly builds: readonly RecipeStep[];
  readonly start: Start | null;
}

/** All steps that turn a folder into an artifact. */
export interface Recipe {
  readonly what: readonly string[];
  /** Notes for the user on how the folder was understood. */
  readonly notes: readonly string[];
  readonly installs: readonly Install[];
  readonly builds: readonly RecipeStep[];
  readonly start: Start;
  readonly port: Port;
  /** Plain environment variables for the build. */
  readonly env: Readonly<Record<string, string>>;
}

/** A build that ends without an artifact. `message` is for operators and the build's log. */
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

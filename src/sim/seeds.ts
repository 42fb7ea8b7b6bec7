/** Seeds of past failures, each with what it found. They run before every other schedule, for ever. */
export const SEEDS: readonly { readonly seed: number; readonly steps: number; readonly found: string }[] = [];

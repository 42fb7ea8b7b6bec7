/** One thing that could be wrong: what was found, and what mends it. */
export interface Check {
  readonly name: string;
  readonly verdict: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do; null where nothing need be done. */
  readonly fix: string | null;
}

export const ok = (name: string, found: string): Check => ({ name, verdict: 'ok', found, fix: null });
export const warn = (name: string, found: string, fix: string): Check => ({
  name,
  verdict: 'warn',
  found,
  fix,
});
export const fail = (name: string, found: string, fix: string): Check => ({
  name,
  verdict: 'fail',
  found,
  fix,
});

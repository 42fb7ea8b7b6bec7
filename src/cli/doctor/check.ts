/** The result of one check: what was found, and how to mend it. */
export interface Check {
  readonly name: string;
  readonly verdict: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** The next step; null where none is needed. */
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

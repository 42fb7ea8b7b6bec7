import { type Format, isData } from '../output.ts';
import type { BadDocument } from './documents.ts';

/** Nonsense may be bad in a million places; nobody reads more of them than this. */
const SHOWN = 20;

/** Says on standard error what could not be read: as lines for a person, as a problem object for a program. */
export function printBad(bad: readonly BadDocument[], format: Format): void {
  if (bad.length === 0) return;
  const shown = bad.slice(0, SHOWN).map(({ where, why }) => `${where} ${why}`.trim());
  const lines = bad.length > SHOWN ? [...shown, `… and ${bad.length - SHOWN} more`] : shown;
  const problem = {
    type: 'urn:evident:problem:bad_input',
    title: 'Not everything could be read',
    detail: lines[0],
    code: 'bad_input',
    errors: lines,
  };
  process.stderr.write(isData(format) ? `${JSON.stringify(problem)}\n` : `${lines.join('\n')}\n`);
}

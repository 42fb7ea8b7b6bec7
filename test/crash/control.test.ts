import { describe, expect, it } from 'vitest';
import { controlOf } from './control.ts';
import { page } from './page.ts';
import { REPEATED_ANSWERS, STEPS } from './steps.ts';

/** The crash tests compare with these control runs, so the control runs themselves must match the table of steps. */
describe.each(STEPS)('the control run of "$name"', (step) => {
  it(`goes from ${step.from} to ${step.to}, and repeating it does nothing twice`, async () => {
    const control = await controlOf(step);
    expect(control.begun.claim?.state ?? null).toBe(step.from);
    expect(control.stepped.claim?.state).toBe(step.to);
    expect(effects(control.twice)).toEqual(effects(control.once));
    const again = REPEATED_ANSWERS[step.again];
    if (again === null) expect(control.again).toBeNull();
    else expect(control.again).toMatchObject(again);
  });
});

it('docs/crash-points.md equals the page that the tables give', async () => {
  await expect(page()).toMatchFileSnapshot('../../docs/crash-points.md');
});

/** The lasting effects: every row but refusals and their counters, without ids and positions of the ledger. */
function effects(rows: string): string[] {
  const done = rows
    .split('\n')
    .filter((row) => /^(revisions|attempts|commands|leases|agents|artifacts) /.test(row));
  const admitted = rows
    .split('\n')
    .filter((row) => row.startsWith('ledger ') && row.includes('"verdict":"admitted"'))
    .map((row) => row.replace(/"(id|position)":"e?\d+"/g, '"$1"'));
  return [...done, ...admitted];
}

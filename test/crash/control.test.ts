import { describe, expect, it } from 'vitest';
import { controlOf } from './control.ts';
import { page } from './page.ts';
import { AGAIN, STEPS } from './steps.ts';

/** What the crash tests compare with is itself what the model says: else they would prove nothing. */
describe.each(STEPS)('without a crash: $name', (step) => {
  it(`goes from ${step.from} to ${step.to}, and repeating it does nothing twice`, async () => {
    const control = await controlOf(step);
    expect(control.begun.claim?.state ?? null).toBe(step.from);
    expect(control.stepped.claim?.state).toBe(step.to);
    expect(effects(control.twice)).toEqual(effects(control.once));
    const again = AGAIN[step.again];
    if (again === null) expect(control.again).toBeNull();
    else expect(control.again).toMatchObject(again);
  });
});

it('the page of crash points is up to date', async () => {
  await expect(page()).toMatchFileSnapshot('../../docs/crash-points.md');
});

/** What counts as done: everything but refusals and what counts them, wherever it stands in the ledger. */
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

import { expect, it } from 'vitest';
import { sampleClaim } from '../../../test/cli/sample-views.ts';
import { explainClaim } from './explain-claim.ts';

const chapter = (claim: Parameters<typeof explainClaim>[0], title: string) =>
  explainClaim(claim, null).find((one) => one.title === title)?.sentences ?? [];

it('names the newest evidence, and where the rest of a long list is', () => {
  const claim = sampleClaim('failed');
  const evidence = Array.from({ length: 82 }, (_, n) => `e${n}`);
  const lines = chapter({ ...claim, proof: { ...claim.proof, evidence } }, 'On which evidence');
  expect(lines).toContain('It stands on 82 pieces of evidence:');
  expect(lines.filter((line) => /^ {2}e\d+$/.test(line))).toHaveLength(12);
  expect(lines.at(-1)).toBe(`  and 70 more: evident evidence ${claim.service}`);
});

it('never sends the reader of an explanation to the explanation', () => {
  const claim = {
    ...sampleClaim('failed'),
    next: { owner: 'user', action: 'mend_there', retrySafe: true },
  } as const;
  expect(chapter(claim, 'Whose move it is').join('\n')).not.toContain('evident explain');
});

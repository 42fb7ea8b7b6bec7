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

it('says of what serves only what was asked of it', () => {
  const running = sampleClaim('running');
  const serving = {
    revision: running.desired.revision,
    attempt: 1,
    asOf: running.now,
    validUntil: running.now,
  };
  const whyNot = { code: 'managed_elsewhere', detail: 'Helm manages it.', mayForce: false } as const;
  const actions = [{ action: 'restart', allowed: false, whyNot }] as const;
  const elsewhere = (state: 'starting' | 'failed') =>
    explainClaim({ ...sampleClaim(state), actions: [...actions] }, null)
      .flatMap(({ sentences }) => sentences)
      .join('\n');
  expect(elsewhere('starting'), 'nobody told the runtime anything').not.toMatch(/was told|runtime\.applied/);
  expect(elsewhere('failed'), 'there was no work of ours').not.toMatch(/revoked/);
  const byNode = { ...running.message, code: 'running.by_node' };
  const said = (more: Partial<typeof running>) =>
    chapter({ ...running, serving, ...more }, 'What is claimed').join('\n');
  expect(said({})).toMatch(/Revision \d+ answers/);
  const unasked = said({ actions, message: byNode });
  expect(unasked).toContain('nobody has asked whether it answers');
  expect(unasked).not.toMatch(/runs, answers/);
  const cause = { code: 'crash_loop', params: { exits: 3 } } as const;
  expect(said({ state: 'failed', cause })).toContain('is up, between two exits');
});

import { expect, it } from 'vitest';
import { sampleView } from '../../../test/cli/sample-views.ts';
import { titleAndMore } from './moves.ts';

it('says what the title says once', () => {
  const { claim } = sampleView('unknown');
  expect(claim.message).toMatchObject({
    title: 'Unknown: the target is silent',
    body: expect.stringMatching(/^Its target is silent\. When last known/),
  });
  expect(titleAndMore(claim)).toMatch(/^Unknown: the target is silent\. When last known/);
  expect(titleAndMore(sampleView('failed').claim)).toBe('The build failed. The build command failed.');
});

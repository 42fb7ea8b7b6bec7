import { expect, it } from 'vitest';
import type { InstanceView } from '../../contract/answers/views.ts';
import { claimLines } from './claim-lines.ts';
import { textOf } from './line.ts';
import { sampleClaim } from './sample-views.ts';

const shown = (instances: readonly Pick<InstanceView, 'revision' | 'restarts'>[]) =>
  claimLines(sampleClaim('running'), { urls: [], instances: instances as InstanceView[] }, 100)
    .map(textOf)
    .join('\n');

it('a status says how often what runs had ended before, and nothing of older revisions', () => {
  expect(shown([{ revision: 42, restarts: 0 }])).not.toContain('again');
  expect(
    shown([
      { revision: 41, restarts: 7 },
      { revision: 42, restarts: 1 },
    ]),
  ).toContain('ended and was started again once in r42');
  expect(
    shown([
      { revision: 42, restarts: 2 },
      { revision: 42, restarts: 3 },
    ]),
  ).toContain('ended and was started again 5 times in r42');
});

import { expect, it } from 'vitest';
import { sampleClaim } from '../../../test/cli/sample-views.ts';
import type { InstanceView } from '../../contract/answers/views.ts';
import { claimLines } from './claim-lines.ts';
import { textOf } from './line.ts';

const linesFor = (instances: readonly Pick<InstanceView, 'revision' | 'restarts'>[]) =>
  claimLines(sampleClaim('running'), { urls: [], instances: instances as InstanceView[] }, 100)
    .map(textOf)
    .join('\n');

it('status shows how often running instances restarted, and nothing of older revisions', () => {
  expect(linesFor([{ revision: 42, restarts: 0 }])).not.toContain('again');
  expect(
    linesFor([
      { revision: 41, restarts: 7 },
      { revision: 42, restarts: 1 },
    ]),
  ).toContain('ended and was started again once in r42');
  expect(
    linesFor([
      { revision: 42, restarts: 2 },
      { revision: 42, restarts: 3 },
    ]),
  ).toContain('ended and was started again 5 times in r42');
});

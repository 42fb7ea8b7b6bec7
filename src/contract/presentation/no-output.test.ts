import { expect, it } from 'vitest';
import { noOutputWords } from './no-output.ts';

const workload = (kind: string) =>
  ({ kind, namespace: 'shop', name: 'web' }) as Parameters<typeof noOutputWords>[1];

it('says where the output of another tool’s workload is, since none ever comes here', () => {
  expect(noOutputWords('run', null)).toBe('No run output yet. Try --stream build');
  expect(noOutputWords('run', workload('Deployment'))).toBe(
    'Evident keeps no output of what another tool deploys. Its cluster has it: kubectl -n shop logs deployment/web',
  );
  expect(noOutputWords('run', workload('Pod'))).toContain('kubectl -n shop logs web');
  expect(noOutputWords('run', workload('CronJob'))).toContain('kubectl -n shop get jobs');
});

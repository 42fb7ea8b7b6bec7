import { expect, it } from 'vitest';
import { sampleClaim } from '../../../test/cli/sample-views.ts';
import type { InstanceView } from '../../contract/answers/views.ts';
import { claimLines } from './claim-lines.ts';
import { textOf } from './line.ts';

const linesFor = (instances: readonly Pick<InstanceView, 'revision' | 'restarts'>[]) =>
  claimLines(
    sampleClaim('running'),
    { urls: [], instances: instances as InstanceView[], workload: null },
    100,
  )
    .map(textOf)
    .join('\n');

it('status shows how often running instances restarted, and nothing of older revisions', () => {
  expect(linesFor([{ revision: 42, restarts: 0 }])).not.toContain('restarted');
  expect(
    linesFor([
      { revision: 41, restarts: 7 },
      { revision: 42, restarts: 1 },
    ]),
  ).toContain('restarted once in all (r42)');
  expect(
    linesFor([
      { revision: 42, restarts: 2 },
      { revision: 42, restarts: 3 },
    ]),
  ).toContain('restarted 5 times in all (r42)');
});

it('status shows what a workload declares beside what is observed, and warnings to whoever gets them', () => {
  const images = [{ container: 'app', image: 'shop/web:2' }];
  const workload = {
    ...{ kind: 'Deployment', namespace: 'shop', name: 'web', managedBy: 'Helm (web)' },
    ...{ fieldManager: null, release: null, commit: null, images },
    declared: { replicas: 2, template: '5b8c', images },
    observed: {
      ...{ revision: 42, pods: 2, ready: 2, unknown: 0, otherPods: 0 },
      ...{ digests: [], saidBy: ['kubelet'] },
    },
    warnings: [{ about: 'Pod/web-1', reason: 'Unhealthy', message: null, at: null }],
  };
  const lost = {
    revision: null,
    restarts: 0,
    ready: false,
    reason: 'node_lost',
    message: 'its node is silent',
  };
  const instances = [
    lost,
    lost,
    { revision: null, restarts: 0, saidBy: 'kubelet', node: 'n1' },
  ] as unknown as InstanceView[];
  const linesOf = (state: 'running' | 'unknown') =>
    claimLines(sampleClaim(state), { urls: [], instances, workload }, 120).map(textOf).join('\n');
  expect(linesOf('running')).toContain('Deployment shop/web, managed by Helm (web)');
  expect(linesOf('running')).toContain('copies: declared 2 copies; observed 2 of 2 pods ready');
  expect(linesOf('running')).toContain('on the word of: kubelet of node n1');
  expect(linesOf('running')).toContain('warning: Pod/web-1: Unhealthy');
  const long = {
    about: 'Pod/web-1',
    reason: 'Failed',
    message: `${'so and so '.repeat(12)}not found`,
    at: null,
  };
  const narrow = claimLines(
    sampleClaim('running'),
    { urls: [], instances, workload: { ...workload, warnings: [long] } },
    60,
  ).map(textOf);
  expect(narrow.join(' ').replace(/\s+/g, ' '), 'no word is cut off').toContain(
    `warning: Pod/web-1: Failed: ${long.message}`,
  );
  expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(linesOf('unknown')).toContain('2 pods: node lost (its node is silent)');
  expect(linesOf('unknown'), 'S2').toContain('last observed 2 of 2 pods ready');
});

it('shows the line of the output that says why it failed, before whose move it is', () => {
  const headline = "KeyError: 'DATABASE_URL'";
  const lines = claimLines(
    sampleClaim('failed'),
    { urls: [], instances: [], workload: null, headline },
    100,
  ).map(textOf);
  const at = lines.indexOf(`  │ ${headline}`);
  expect(at).toBeGreaterThan(0);
  expect(lines[at + 1]).toMatch(/^ {2}\S/);
});

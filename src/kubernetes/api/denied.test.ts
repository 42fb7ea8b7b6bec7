import { expect, it } from 'vitest';
import { deniedIn } from './denied.ts';

const forbidden = (message: string) => ({ kind: 'forbidden', message }) as const;

it('takes verb and resource out of a refusal, each once, and nothing else', () => {
  const jobs = forbidden(
    'jobs.batch is forbidden: User "system:serviceaccount:evident:agent" cannot list resource "jobs" in API group "batch" in the namespace "shop"',
  );
  const pods = forbidden(
    'pods is forbidden: User "x" cannot watch resource "pods" in API group "" at the cluster scope',
  );
  expect(deniedIn([jobs, null, pods, jobs])).toEqual([
    { verb: 'list', resource: 'jobs.batch' },
    { verb: 'watch', resource: 'pods' },
  ]);
  expect(
    deniedIn([forbidden('no: cannot frob resource "Se cret"'), { kind: 'absent', message: jobs.message }]),
  ).toEqual([]);
});

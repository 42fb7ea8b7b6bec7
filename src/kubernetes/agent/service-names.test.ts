import { describe, expect, it } from 'vitest';
import { ServiceNames } from './service-names.ts';

const workload = (kind: string, name: string, namespace = 'shop', createdAt = '2026-01-01T00:00:00Z') => ({
  kind,
  name,
  namespace,
  createdAt,
});

const namesIn = (names: ServiceNames, ...workloads: ReturnType<typeof workload>[]) => [
  ...names.name(workloads).keys(),
];

describe('the name of a workload as a service', () => {
  it('is its own in the default namespace, and has its namespace elsewhere', () => {
    const names = new ServiceNames('prod', 'default');
    expect(namesIn(names, workload('Deployment', 'web', 'default'), workload('Deployment', 'web'))).toEqual([
      'web@prod',
      'web.shop@prod',
    ]);
  });

  it('goes to the oldest of several new ones, and stays when others come and go', () => {
    const names = new ServiceNames('prod', 'default');
    const young = workload('Deployment', 'web', 'shop', '2026-03-01T00:00:00Z');
    const old = workload('StatefulSet', 'web', 'shop', '2026-02-01T00:00:00Z');
    expect(namesIn(names, young, old)).toEqual(['web-deployment.shop@prod', 'web.shop@prod']);
    expect(namesIn(names, young)).toEqual(['web-deployment.shop@prod']);
    const older = workload('DaemonSet', 'web', 'shop', '2020-01-01T00:00:00Z');
    expect(namesIn(names, older, young)).toEqual(['web-daemonset.shop@prod', 'web-deployment.shop@prod']);
  });

  it('is the one that the server knows, and another where the server says that it is taken', () => {
    const names = new ServiceNames('prod', 'default');
    const set = workload('StatefulSet', 'web');
    names.learn([
      { service: 'web-statefulset.shop@prod', workload: { ...set, kind: 'StatefulSet', uid: 'u1' } },
    ]);
    expect(namesIn(names, set)).toEqual(['web-statefulset.shop@prod']);
    expect(namesIn(names, workload('CronJob', 'web'))).toEqual(['web.shop@prod']);
    names.refuse('web.shop@prod');
    expect(namesIn(names, workload('CronJob', 'web'))).toEqual(['web-cronjob.shop@prod']);
  });
});

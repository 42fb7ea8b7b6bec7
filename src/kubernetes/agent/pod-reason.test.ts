import { describe, expect, it } from 'vitest';
import { keepPod } from '../cache/pod.ts';
import { podReason } from './pod-reason.ts';

const podWith = (status: object, spec: object = {}) =>
  keepPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'shop', uid: 'u', resourceVersion: '1' },
    spec: { nodeName: 'n', containers: [{ name: 'app', image: 'x' }], ...spec },
    status: { phase: 'Running', ...status },
  });

const app = (state: object, lastState: object = {}) => ({
  containerStatuses: [{ name: 'app', state, lastState }],
});

const reasonOf = (status: object, spec?: object) => {
  const pod = podWith(status, spec);
  if (pod === null) throw new Error('no pod');
  return podReason(pod);
};

describe('why a pod is not ready, in words of the model', () => {
  it.each([
    ['CrashLoopBackOff', 'crash_loop'],
    ['ImagePullBackOff', 'image_pull_failed'],
    ['InvalidImageName', 'image_invalid'],
    ['CreateContainerConfigError', 'config_missing'],
    ['ContainerCreating', null],
    ['SomethingNew', 'SomethingNew'],
  ])('waiting, %s: %s', (reason, found) => {
    expect(reasonOf(app({ waiting: { reason } }))).toBe(found);
  });

  it('an image that runs as root where none may is no missing configuration', () => {
    const message =
      'container has runAsNonRoot and image will run as root (pod: "p_shop(u)", container: app)';
    const waits = { waiting: { reason: 'CreateContainerConfigError', message } };
    expect(reasonOf(app(waits))).toBe('start_failed');
  });

  it('a gate holds back what no node has yet', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }];
    expect(reasonOf({ phase: 'Pending', conditions }, { nodeName: undefined })).toBe('scheduling_gated');
  });

  it('memory that ran out explains a crash loop', () => {
    const ended = { terminated: { reason: 'OOMKilled', exitCode: 137 } };
    expect(reasonOf(app({ waiting: { reason: 'CrashLoopBackOff' } }, ended))).toBe('oom_killed');
    expect(reasonOf(app(ended))).toBe('oom_killed');
  });

  it('a command that cannot run never started, however often it is tried', () => {
    const ended = { terminated: { reason: 'StartError', exitCode: 128 } };
    expect(reasonOf(app({ waiting: { reason: 'CrashLoopBackOff' } }, ended))).toBe('start_failed');
    expect(reasonOf(app(ended))).toBe('start_failed');
  });

  it('an end without a known reason is an exit, and by a signal so', () => {
    expect(reasonOf(app({ terminated: { reason: 'Error', exitCode: 1 } }))).toBe('exited');
    expect(reasonOf(app({ terminated: { reason: 'Error', exitCode: 137, signal: 9 } }))).toBe('signalled');
  });

  it('a failing init container or sidecar is named as such; one that is done is none', () => {
    const spec = { initContainers: [{ name: 'init', image: 'x' }] };
    const init = (state: object) => ({ initContainerStatuses: [{ name: 'init', state }] });
    expect(reasonOf(init({ waiting: { reason: 'CrashLoopBackOff' } }), spec)).toBe('init_failed');
    expect(reasonOf(init({ terminated: { reason: 'Completed', exitCode: 0 } }), spec)).toBe(null);
    const sidecar = { initContainers: [{ name: 'init', image: 'x', restartPolicy: 'Always' }] };
    expect(reasonOf(init({ waiting: { reason: 'CrashLoopBackOff' } }), sidecar)).toBe('sidecar_failed');
  });

  it('what no node can take is unschedulable, and what was evicted is so', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
    expect(reasonOf({ phase: 'Pending', conditions }, { nodeName: undefined })).toBe('unschedulable');
    expect(reasonOf({ phase: 'Failed', reason: 'Evicted' })).toBe('evicted');
  });

  it('labels that no node has are told from room that no node has', () => {
    const refused = (message: string) =>
      reasonOf(
        {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
        },
        { nodeName: undefined },
      );
    const labels = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
    expect(refused(labels)).toBe('no_matching_node');
    expect(refused(`${labels} 1 Insufficient cpu.`)).toBe('insufficient_resources');
  });
});

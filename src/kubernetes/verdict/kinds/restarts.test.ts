import { describe, expect, it } from 'vitest';
import { judgeObject } from '../judge-object.ts';
import { indexObjects, NO_OBJECTS } from '../objects.ts';
import { READY_OBJECTS } from '../ready-objects.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString().replace('.000', '');

/** Seconds ago: the start of this run; the start and end of the one before. Null: not said. */
interface Runs {
  readonly restarts: number;
  readonly startedAgo: number | null;
  readonly before: readonly [number, number] | null;
  readonly createdAgo?: number;
  readonly reason?: string;
  readonly part?: 'sidecar';
}

function podOf({ restarts, startedAgo, before, createdAgo = 100_000, reason = 'Error', part }: Runs) {
  const container = {
    name: 'web',
    ready: true,
    restartCount: restarts,
    state: { running: startedAgo === null ? {} : { startedAt: at(startedAgo) } },
    lastState:
      before === null
        ? {}
        : { terminated: { exitCode: 1, reason, startedAt: at(before[0]), finishedAt: at(before[1]) } },
  };
  const { metadata, spec, status } = READY_OBJECTS.Pod;
  const steady = { ...container, restartCount: 0, lastState: {} };
  const pod = {
    ...READY_OBJECTS.Pod,
    metadata: { ...metadata, creationTimestamp: at(createdAgo) },
    spec:
      part === undefined ? spec : { ...spec, initContainers: [{ name: 'proxy', restartPolicy: 'Always' }] },
    status:
      part === undefined
        ? { ...status, containerStatuses: [container] }
        : {
            ...status,
            initContainerStatuses: [{ ...container, name: 'proxy' }],
            containerStatuses: [steady],
          },
  };
  return pod;
}

function verdictOn(runs: Runs) {
  const { verdict, reason: why } = judgeObject(podOf(runs), NO_OBJECTS, NOW);
  return why === null ? verdict : `${verdict} ${why}`;
}

describe('a pod that is ready between two crashes', () => {
  it.each<readonly [string, Runs, string]>([
    ['exits every 2 s', { restarts: 8, startedAgo: 1, before: [7, 5], createdAgo: 55 }, 'failed crash_loop'],
    ['exits every 2 s, days old', { restarts: 800, startedAgo: 1, before: [303, 301] }, 'failed crash_loop'],
    [
      'runs out of memory',
      { restarts: 8, startedAgo: 1, before: [7, 5], reason: 'OOMKilled' },
      'failed oom_killed',
    ],
    [
      'cannot run its command',
      { restarts: 8, startedAgo: 1, before: [7, 5], reason: 'StartError' },
      'failed start_failed',
    ],
    [
      'has a sidecar that does',
      { restarts: 8, startedAgo: 1, before: [7, 5], part: 'sidecar' },
      'failed sidecar_failed',
    ],
    [
      'exits every 3 minutes, and runs for 5',
      { restarts: 9, startedAgo: 300, before: [490, 310] },
      'failed crash_loop',
    ],
    [
      'is young, without a word of its last run',
      { restarts: 3, startedAgo: 5, before: null, createdAgo: 60 },
      'failed crash_loop',
    ],
    [
      'exited twice and is up for a moment',
      { restarts: 2, startedAgo: 16, before: [37, 35], createdAgo: 60 },
      'progressing settling',
    ],
  ])('%s: not ready', (_, runs, expected) => {
    expect(verdictOn(runs)).toBe(expected);
  });

  it.each<readonly [string, Runs]>([
    ['restarted once, long ago', { restarts: 1, startedAgo: 90_000, before: [90_007, 90_005] }],
    ['restarted once, just now', { restarts: 1, startedAgo: 2, before: [7, 5], createdAgo: 10 }],
    ['restarted twice, who knows when', { restarts: 2, startedAgo: 16, before: [37, 35] }],
    ['restarted twice at its start', { restarts: 2, startedAgo: 30, before: [37, 35], createdAgo: 60 }],
    [
      'restarted often at its start, and has held since',
      { restarts: 4, startedAgo: 120, before: [127, 125], createdAgo: 200 },
    ],
    ['restarts once in a while, after long runs', { restarts: 50, startedAgo: 5, before: [4000, 10] }],
    ['restarted often, some time', { restarts: 50, startedAgo: 90_000, before: [90_007, 90_005] }],
    ['restarted often, and says no times', { restarts: 50, startedAgo: null, before: null }],
    [
      'restarted often, and is old, and says nothing of its last run',
      { restarts: 50, startedAgo: 5, before: null },
    ],
  ])('%s: ready', (_, runs) => {
    expect(verdictOn(runs)).toBe('ready');
  });
});

describe('a set of one pod that is up between two crashes', () => {
  const owner = { uid: 'set', kind: 'StatefulSet', name: 'db', controller: true };
  const set = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', uid: 'set', namespace: 'shop', generation: 1 },
    spec: { replicas: 1 },
    status: {
      observedGeneration: 1,
      replicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      updatedReplicas: 1,
      currentRevision: 'a',
      updateRevision: 'a',
    },
  };

  it.each([
    [8, 'failed', 'The app starts and exits again and again.'],
    [2, 'progressing', 'Its copies are ready, and must stay so for a while.'],
  ])('restarted %i times: %s, and no number denies what it counts', (restarts, verdict, user) => {
    const pod = podOf({ restarts, startedAgo: 1, before: [7, 5], createdAgo: 55 });
    const owned = { ...pod, metadata: { ...pod.metadata, namespace: 'shop', ownerReferences: [owner] } };
    expect(judgeObject(set, indexObjects([set, owned]), NOW)).toMatchObject({ verdict, user });
  });
});

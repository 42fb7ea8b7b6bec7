import { describe, expect, it } from 'vitest';
import { judgeObject } from './judge-object.ts';
import { NO_OBJECTS } from './objects.ts';
import { READY_OBJECTS } from './ready-objects.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const { Deployment, StatefulSet, Job, CronJob, Pod } = READY_OBJECTS;

type Sample = { readonly spec?: object; readonly status?: object };
const among = (sample: Sample, { spec = {}, status = {} }: Sample) =>
  judgeObject(
    { ...sample, spec: { ...sample.spec, ...spec }, status: { ...sample.status, ...status } },
    NO_OBJECTS,
    NOW,
  );

describe('sentences agree with their numbers', () => {
  it('copies that are ready are not called unready while they must hold', () => {
    const { user, operator } = among(Deployment, { status: { availableReplicas: 0 } });
    expect(user).toBe('Its copies are ready, and must stay so for a while. 2 of 2 are ready.');
    expect(operator).toContain('2 of 2 replicas are ready, 0 available');
  });

  it('a stateful set counts ready and available apart', () => {
    const { operator } = among(StatefulSet, { status: { availableReplicas: 0 } });
    expect(operator).toContain('2 of 2 replicas are ready, 0 available');
  });

  it('no number stands beside a condition that denies it', () => {
    const { user } = among(Deployment, { status: { conditions: [] } });
    expect(user).toBe('Not all copies are ready.');
  });

  it('a rollout that failed over copies that serve says both', () => {
    const conditions = [
      { type: 'Available', status: 'True' },
      { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' },
    ];
    const { verdict, user } = among(Deployment, { status: { replicas: 3, updatedReplicas: 1, conditions } });
    expect(verdict).toBe('degraded');
    expect(user).toBe(
      'The new version did not become ready in the time it has. It serves all the same: 2 of 2 are ready.',
    );
  });

  it('copies of something that is scaled to zero are not counted of 0', () => {
    const { user } = among(Deployment, { spec: { replicas: 0 }, status: { updatedReplicas: 0 } });
    expect(user).toBe('Copies are being added or removed. 2 are ready, 0 wanted.');
  });

  it('a suspended job waits to run, not to change', () => {
    const suspended = { spec: { suspend: true }, status: { conditions: [], startTime: null } };
    const sentence = 'It is suspended: no run begins until somebody resumes it.';
    expect(among(Job, suspended).user).toBe(sentence);
    expect(among(CronJob, { spec: { suspend: true } }).user).toBe(sentence);
  });

  it('an old deletion has an age that can be read', () => {
    const deleted = { ...Pod, metadata: { ...Pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(judgeObject(deleted, NO_OBJECTS, NOW).operator).toContain('is set, 320 d ago');
  });

  it('a copy is stopped, anything else is deleted', () => {
    const deletionTimestamp = '2026-11-17T11:59:59Z';
    const sentences = Object.values(READY_OBJECTS).map((object) => {
      const deleted = { ...object, metadata: { ...object.metadata, deletionTimestamp } };
      return `${object.kind}: ${judgeObject(deleted, NO_OBJECTS, NOW).user}`;
    });
    const expected = Object.values(READY_OBJECTS).map(({ kind }) =>
      kind === 'Pod' ? 'Pod: A copy of it is being stopped.' : `${kind}: It is being deleted.`,
    );
    expect(sentences).toEqual(expected);
  });

  it('two conditions of one type are shown as they are', () => {
    const twice = [
      { type: 'Ready', status: 'True' },
      { type: 'Ready', status: 'False' },
    ];
    expect(among(Pod, { status: { conditions: twice } }).operator).toContain('Ready=True and Ready=False');
  });
});

import { describe, expect, it } from 'vitest';
import { judgeObject } from './judge-object.ts';
import { NO_OBJECTS } from './objects.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const judge = (object: unknown) => {
  const { verdict, reason } = judgeObject(object, NO_OBJECTS, NOW);
  return reason === null ? verdict : `${verdict} ${reason}`;
};
const deployment = (spec: object, status: object, metadata: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation: 2, ...metadata },
  spec: { replicas: 2, ...spec },
  status: {
    observedGeneration: 2,
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    conditions: [{ type: 'Available', status: 'True' }],
    ...status,
  },
});

describe('an object of any kind', () => {
  it.each([
    ['nothing', null, 'unknown unreadable'],
    ['no kind', { apiVersion: 'v1' }, 'unknown unreadable'],
    ['kinds without a status', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, 'ready'],
    ['a custom resource without conditions', { apiVersion: 'x.io/v1', kind: 'X' }, 'unknown no_conditions'],
    ['a ready deployment', deployment({}, {}), 'ready'],
    ['a paused deployment', deployment({ paused: true }, {}), 'suspended paused'],
    ['one that is being deleted', deployment({}, {}, { deletionTimestamp: 'x' }), 'progressing terminating'],
    [
      'a status of an older generation',
      deployment({}, { observedGeneration: 1 }),
      'progressing generation_behind',
    ],
    ['a count that is text', deployment({ replicas: '2' }, {}), 'unknown unreadable'],
  ])('%s', (_, object, expected) => {
    expect(judge(object)).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { judgeObject } from '../judge-object.ts';
import { NO_OBJECTS } from '../objects.ts';

const NOW = Date.parse('2026-11-19T14:30:00Z');
type Fields = Readonly<Record<string, unknown>>;
type Row = readonly [title: string, of: string, status: Fields, expected: string, spec?: Fields];

const STRANGER = 'stranger.example/v1 Widget';
const READY = { type: 'Ready', status: 'True' };
const beside = (fields: Fields) => ({ conditions: [READY], ...fields });

const ROWS: readonly Row[] = [
  [
    'has 2 of 3',
    'psmdb.percona.com/v1 PerconaServerMongoDB',
    { state: 'ready', size: 3, ready: 2 },
    'progressing',
  ],
  ['has 3 of 3', 'psmdb.percona.com/v1 PerconaServerMongoDB', { state: 'ready', size: 3, ready: 3 }, 'ready'],
  [
    'has 1 of 3',
    'mongodbcommunity.mongodb.com/v1 MongoDBCommunity',
    { phase: 'Running', currentStatefulSetReplicas: 1, currentMongoDBMembers: 1 },
    'progressing',
    { members: 3 },
  ],
  [
    'has 3 of 3',
    'mongodbcommunity.mongodb.com/v1 MongoDBCommunity',
    { phase: 'Running', currentStatefulSetReplicas: 3, currentMongoDBMembers: 3 },
    'ready',
    { members: 3 },
  ],
  [
    'has an error of validation',
    'networking.istio.io/v1 VirtualService',
    { validationMessages: [{ level: 'Error' }], conditions: [{ type: 'Reconciled', status: 'True' }] },
    'failed',
  ],
  [
    'did not reconcile',
    STRANGER,
    { conditions: [READY, { type: 'ReconcileSuccess', status: 'False' }] },
    'progressing',
  ],
  ...(['instances', 'members', 'nodes', 'size'] as const).map(
    (field): Row => [
      `has 1 of 5 ${field}`,
      STRANGER,
      beside({ [field === 'size' ? 'readyMembers' : `ready${field[0]?.toUpperCase()}${field.slice(1)}`]: 1 }),
      'progressing',
      { [field]: 5 },
    ],
  ),
  ['has 5 of 5', STRANGER, beside({ readyInstances: 5 }), 'ready', { instances: 5 }],
  [
    'has a member that is not ready',
    STRANGER,
    beside({ members: [{ ready: true }, { ready: false }] }),
    'progressing',
  ],
  ['has a member that failed', STRANGER, beside({ members: [{ status: 'Failed' }] }), 'degraded'],
  ['has members', STRANGER, beside({ members: [{ ready: true, status: 'Running' }] }), 'ready'],
  ['counts failures', STRANGER, beside({ failed: 3 }), 'degraded'],
  ['counts no failures', STRANGER, beside({ failed: 0, unhealthyMembers: 0, lastError: '' }), 'ready'],
  ['counts sick members', STRANGER, beside({ unhealthyMembers: 2 }), 'degraded'],
  [
    'has ended after failures',
    STRANGER,
    { failed: 3, conditions: [{ type: 'Complete', status: 'True' }] },
    'ready',
  ],
  ['has a last error', STRANGER, beside({ lastError: 'cannot connect' }), 'unknown'],
  [
    'is ready and is not',
    STRANGER,
    { conditions: [READY, { type: 'Ready', status: 'False' }] },
    'unknown contradictory',
  ],
  ...(
    [
      ['2026-01-01T00:00:00Z', '1h', 'unknown schedule_missed'],
      ['2026-11-19T14:00:00Z', '1h', 'ready'],
      ['2026-01-01T00:00:00Z', '0s', 'ready'],
    ] as const
  ).map(
    ([refreshTime, refreshInterval, expected]): Row => [
      `was refreshed ${refreshTime}, every ${refreshInterval}`,
      'external-secrets.io/v1 ExternalSecret',
      beside({ refreshTime }),
      expected,
      { refreshInterval },
    ],
  ),
  [
    'was looked at long ago',
    'velero.io/v1 BackupStorageLocation',
    { phase: 'Available', lastValidationTime: '2026-01-01T00:00:00Z' },
    'unknown schedule_missed',
  ],
  [
    'was looked at just now',
    'velero.io/v1 BackupStorageLocation',
    { phase: 'Available', lastValidationTime: '2026-11-19T14:29:00Z' },
    'ready',
  ],
  [
    'has a domain that is not seen',
    'networking.gke.io/v1 ManagedCertificate',
    { certificateStatus: 'Active', domainStatus: [{ domain: 'a', status: 'FailedNotVisible' }] },
    'degraded',
  ],
  [
    'has domains that are',
    'networking.gke.io/v1 ManagedCertificate',
    { certificateStatus: 'Active', domainStatus: [{ domain: 'a', status: 'Active' }] },
    'ready',
  ],
  [
    'is warned of',
    'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy',
    { typeChecking: { expressionWarnings: [{ warning: 'no such field' }] } },
    'degraded',
  ],
  [
    'is not warned of',
    'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy',
    { typeChecking: {} },
    'ready',
  ],
  ['is faulted', 'longhorn.io/v1beta2 Volume', { state: 'attached', robustness: 'faulted' }, 'failed'],
  ['is healthy', 'longhorn.io/v1beta2 Volume', { state: 'attached', robustness: 'healthy' }, 'ready'],
  [
    'has met its criteria',
    'batch/v1 Job',
    { succeeded: 1, conditions: [{ type: 'SuccessCriteriaMet', status: 'True' }] },
    'progressing job_running',
  ],
  [
    'is valid from tomorrow',
    'cert-manager.io/v1 Certificate',
    beside({ notBefore: '2026-11-20T14:30:00Z', notAfter: '2027-11-01T00:00:00Z' }),
    'progressing not_yet_ready',
  ],
  [
    'names no revision',
    'apps/v1 StatefulSet',
    { observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 2 },
    'unknown unreadable',
    { replicas: 2 },
  ],
  ...(
    [
      ['initContainerStatuses', 'failed init_failed'],
      ['containerStatuses', 'failed crash_loop'],
    ] as const
  ).map(
    ([list, expected]): Row => [
      `ended again and again (${list})`,
      'v1 Pod',
      {
        phase: 'Pending',
        conditions: [{ type: 'Ready', status: 'False' }],
        [list]: [
          {
            name: 'c',
            ready: false,
            restartCount: 30,
            state: {
              terminated: {
                exitCode: 7,
                reason: 'Error',
                startedAt: '2026-11-19T14:10:00Z',
                finishedAt: '2026-11-19T14:10:01Z',
              },
            },
          },
        ],
      },
      expected,
    ],
  ),
];

describe('what was said too strongly', () => {
  it.each(ROWS.map((row) => [row[0], row[1], row] as const))('%s: %s', (_, of, row) => {
    const [, , status, expected, spec = {}] = row;
    const [apiVersion, kind] = of.split(' ');
    const object = { apiVersion, kind, metadata: { name: 'a', generation: 1 }, spec, status };
    const { verdict, reason } = judgeObject(object, NO_OBJECTS, NOW);
    expect(`${verdict} ${reason}`).toContain(expected);
  });
});

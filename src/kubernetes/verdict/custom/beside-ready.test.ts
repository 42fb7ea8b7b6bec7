import { describe, expect, it } from 'vitest';
import { judgeObject } from '../judge-object.ts';
import { NO_OBJECTS } from '../objects.ts';

type Fields = Readonly<Record<string, unknown>>;
const READY = { type: 'Ready', status: 'True' };
const STRANGER = 'stranger.example/v1 Widget';

function verdictOn(of: string, status: Fields, spec: Fields = {}): string {
  const [apiVersion, kind] = of.split(' ');
  const object = { apiVersion, kind, metadata: { name: 'a', generation: 1 }, spec, status };
  return judgeObject(object, NO_OBJECTS, 0).verdict;
}
const beside = (type: string, status: string, reason = 'X') =>
  verdictOn(STRANGER, { conditions: [READY, { type, status, reason }] });

describe('a condition of a stranger beside Ready=True', () => {
  it.each(`UpgradeInProgress RollbackInProgress InMaintenance Resharding DNSProvisioning Waiting`.split(' '))(
    '%s=True is work',
    (type) => {
      expect(beside(type, 'True')).toBe('progressing');
      expect(beside(type, 'False')).toBe('ready');
    },
  );

  it.each(
    `SplitBrain DiskFull CertificateExpiringSoon ReplicationLagging DataLoss Unrecoverable Quarantined Fenced
     ImagePullBackOff CrashLooping Orphaned Throttled RateLimited Overloaded HasIssues Corrupted`.split(
      /\s+/,
    ),
  )('%s=True is trouble', (type) => {
    expect(beside(type, 'True')).toBe('degraded');
    expect(beside(type, 'False')).toBe('ready');
  });

  it.each(['Hibernated', 'Stopped'])('%s=True is rest', (type) => {
    expect(beside(type, 'True')).toBe('suspended');
    expect(beside(type, 'False')).toBe('ready');
  });

  it.each(
    `TLSReady ConfigApplied VolumesMounted LeaderElected QuorumReached DependenciesMet Online Authenticated Deployed
     Provisioned Initialized Registered`.split(/\s+/),
  )('%s=False is a step that is not done, unless nobody asked for it', (type) => {
    expect(beside(type, 'False')).toBe('progressing');
    expect(beside(type, 'False', 'NotConfigured')).toBe('ready');
    expect(beside(type, 'False', 'Disabled')).toBe('ready');
    expect(beside(type, 'True')).toBe('ready');
  });

  it.each(['LimitReached', 'FallbackApplied', 'BackupScheduled', 'ThresholdMet'])(
    '%s=False is no step',
    (type) => {
      expect(beside(type, 'False')).toBe('ready');
    },
  );

  it.each(['Error', 'ReconcileFailed', 'AccessDenied'])(
    'False for a reason of failure, %s, is trouble, whatever it is about',
    (reason) => {
      expect(beside('ReconcileComplete', 'False', reason)).toBe('degraded');
      expect(beside('Degraded', 'False', reason)).toBe('ready');
      expect(beside('HasBackup', 'False', 'NoError')).toBe('ready');
    },
  );

  it.each(['Reconciling', 'Progressing', 'Upgrading'])(
    '%s=True is work, as expected as it may be',
    (type) => {
      expect(beside(type, 'True', 'AsExpected')).toBe('progressing');
    },
  );

  it('weakens one that is not ready too', () => {
    const conditions = [
      { type: 'Available', status: 'False' },
      { type: 'Degraded', status: 'True' },
    ];
    expect(verdictOn('config.openshift.io/v1 ClusterOperator', { conditions })).toBe('degraded');
  });
});

it.each([['failed to connect'], ['Error: no such host'], ['cannot reach the database']])(
  'believes no Ready=True that says: %s',
  (message) => {
    expect(verdictOn(STRANGER, { conditions: [{ ...READY, message }] })).toBe('unknown');
    expect(verdictOn(STRANGER, { conditions: [{ ...READY, message: `recovered, ${message}` }] })).toBe(
      'ready',
    );
  },
);

it.each(['Deleting', 'Terminating'])('does not call ready what is %s', (reason) => {
  expect(verdictOn(STRANGER, { conditions: [{ ...READY, reason }] })).toBe('progressing');
});

describe('what a status of a stranger says beside Ready=True', () => {
  it.each<[Fields, string]>([
    [{ health: 'Critical' }, 'unknown'],
    [{ health: 'Warning' }, 'degraded'],
    [{ mode: 'Warning' }, 'ready'],
    [{ state: 'CrashLoopBackOff' }, 'unknown'],
    [{ status: 'Not Ready' }, 'unknown'],
    [{ clusterStatus: 'FAILED' }, 'unknown'],
    [{ connectionStatus: 'disconnected' }, 'unknown'],
    [{ lastBackupStatus: 'Failed' }, 'ready'],
    [{ previousState: 'error' }, 'ready'],
    [{ ready: '1/3' }, 'progressing'],
    [{ ready: '3/3' }, 'ready'],
    [{ address: '10/24' }, 'ready'],
    [{ nodes: { a: { ready: false }, b: { ready: true } } }, 'progressing'],
    [{ components: [{ conditions: [{ type: 'Ready', status: 'False' }] }] }, 'progressing'],
    [{ components: [{ conditions: [{ type: 'Ready', status: 'True' }] }] }, 'ready'],
  ])('%j: %s', (fields, expected) => {
    expect(verdictOn(STRANGER, { conditions: [READY], ...fields })).toBe(expected);
  });
});

describe('operators with one condition of their own', () => {
  it.each([
    ['cilium.io/v2 CiliumNetworkPolicy', 'Valid'],
    ['configuration.konghq.com/v1 KongPlugin', 'Programmed'],
    ['kueue.x-k8s.io/v1beta1 ClusterQueue', 'Active'],
  ])('%s is ready by %s alone', (of, type) => {
    expect(verdictOn(of, { conditions: [{ type, status: 'True' }] })).toBe('ready');
    expect(verdictOn(of, { conditions: [{ type, status: 'False' }] })).not.toBe('ready');
    expect(verdictOn(of, {})).not.toBe('ready');
  });

  it('calls a virtual machine failed that cannot start', () => {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'GuestNotRunning' }];
    const status = { printableStatus: 'CrashLoopBackOff', conditions };
    expect(verdictOn('kubevirt.io/v1 VirtualMachine', status)).toBe('failed');
  });
});

import { withDefaults } from '../../src/projection/deadlines.ts';
import { NOTHING_PROVEN } from '../../src/projection/facts.ts';
import type { Store } from '../../src/store/port.ts';
import type { CommandRow, LeaseRow, Rows, ServiceRow, Table } from '../../src/store/schema.ts';

const STEP = 1_000;

/** Rows of other services and of long ago, as many as a busy org has: a frequent statement must not scan them. */
export async function fill(store: Store, org: string, count: number, at: number): Promise<void> {
  for (let from = 0; from < count; from += STEP) {
    await store.transact(async (tx) => {
      for (let n = from; n < Math.min(count, from + STEP); n++) {
        const put = <T extends Table>(table: T, row: Rows[T]) => tx.append(table, row);
        const service = `s${n}@t${n % 50}`;
        const target = `t${n % 50}`;
        await put('services', serviceRow(org, service, target, n, at));
        await put('revisions', {
          org,
          service,
          revision: 1,
          kind: 'deploy',
          origin: { kind: 'none' },
          replicas: 1,
          port: null,
          command: null,
          stabilityMs: 0,
          deadlines: withDefaults({}),
          accepts: [],
          template: null,
          spec: {},
          git: null,
          actor: 'ana',
          createdAt: at,
        });
        const attempt = { org, service, revision: 1, attempt: 1 };
        await put('attempts', {
          ...attempt,
          kind: 'deploy',
          startedAt: at,
          outcome: 'succeeded',
          endedAt: at,
          artifact: null,
          port: null,
          command: null,
        });
        const command = commandRow(org, service, target, n, at);
        await put('commands', command);
        await put('leases', leaseRow(command, n, at));
        await put('registrations', {
          org,
          target,
          instance: `old-${n}`,
          epoch: '1',
          registeredAt: at,
          evidence: 'e1',
          identityEpoch: '1',
          identitySince: at,
          identityChanged: false,
          places: null,
        });
        await put('scopes', scopeRow(org, `old${n}`, at));
        await put('agents', agentRow(org, `old${n}`, at));
        await put('targets', {
          ...{ org, target: `old${n}`, runtime: null, createdAt: at },
          ...{ removedAt: null, observation: null, defaultNamespace: null },
        });
        await put('spans', {
          org,
          subject: `scope/${target}/*`,
          from: at - 2 * n - 1,
          until: at - 2 * n,
          firstSeq: '1',
          lastSeq: '2',
          epoch: '1',
          receivedAt: at,
          completeAt: at,
          unavailable: null,
        });
        await put('evidenceIds', {
          org,
          source: 'worker/old',
          id: `e${n}`,
          body: '',
          position: String(n),
          reason: null,
        });
        await put('keys', {
          ...attempt,
          token: 'old',
          key: `k${n}`,
          fingerprint: '',
          made: null,
          createdAt: at,
        });
        await put('artifacts', { org, digest: `sha256:${String(n).padStart(64, '0')}`, size: 1 });
        const position = String(3 * n + 1);
        await put('ledger', {
          ...attempt,
          position,
          receivedAt: at,
          id: `e${position}`,
          target,
          command: command.id,
          fence: '1',
          seq: null,
          source: { role: 'worker', name: 'old', instance: 'old' },
          observedAt: null,
          kind: 'build.progress',
          body: { step: 1, message: '' },
          verdict: 'admitted',
        });
        await put('transitions', {
          ...attempt,
          position: String(3 * n + 2),
          at,
          recordedAt: at,
          from: null,
          to: 'accepted',
          owner: 'api',
          evidence: `e${position}`,
          stage: null,
        });
        await put('checkpoints', { org, service, position, receivedAt: at, proven: NOTHING_PROVEN });
        await put('alarms', { org, position: String(3 * n + 3), code: 'old', service, at });
      }
    });
  }
  await store.transact((tx) =>
    tx.insert('heads', { org, position: String(3 * count + 3), at, recoveredAt: null, floor: 0 }),
  );
}

function serviceRow(org: string, service: string, target: string, n: number, at: number): ServiceRow {
  return {
    org,
    service,
    target,
    createdAt: at,
    newest: 1,
    active: 1,
    attempt: 1,
    proven: NOTHING_PROVEN,
    settledTo: at,
    steadyUntil: null,
    state: 'running',
    outcome: n % 100 === 0 ? 'in_progress' : 'succeeded',
    since: at,
    position: String(3 * n + 2),
    command: null,
    due: n % 100 === 0 ? at + 3_600_000 : null,
    awaitsReport: n % 100 === 0,
    scope: '*',
    rejected: 0,
    sinceCheckpoint: 0,
    hidden: false,
  };
}

function commandRow(org: string, service: string, target: string, n: number, at: number): CommandRow {
  return {
    org,
    id: `${service}.r1.a1.build.1`,
    service,
    target,
    revision: 1,
    attempt: 1,
    kind: n % 2 === 0 ? 'build' : 'apply',
    state: n % 10 === 0 ? 'published' : 'done',
    fence: '1',
    lapses: 0,
    availableAt: at + 3_600_000 + n,
    cancelRequested: false,
  };
}

function leaseRow({ org, id, kind, service, target, fence }: CommandRow, n: number, at: number): LeaseRow {
  const open = n % 10 === 0;
  return {
    org,
    id: `${id}.1`,
    command: id,
    kind,
    service,
    target,
    fence,
    caller: 'old',
    worker: 'old',
    instance: `old-${n}`,
    epoch: null,
    grantedAt: at,
    acknowledgedAt: at,
    until: at + 3_600_000,
    sweepAt: at + 3_600_000,
    silenced: false,
    growing: open,
    endedAt: open ? null : at,
    end: open ? null : 'completed',
    lastSeq: null,
  };
}

function scopeRow(org: string, target: string, at: number): Rows['scopes'] {
  const seqs = { epoch: '1', seqEpoch: '1', seq: '1', base: '1', firstSeq: '1' };
  const times = { asOf: at + 3_600_000, receivedAt: at, completeAt: at, spanFrom: at };
  return {
    org,
    target,
    scope: '*',
    ...seqs,
    ...times,
    unavailable: null,
    silenced: false,
    swept: false,
    notes: null,
  };
}

function agentRow(org: string, target: string, at: number): Rows['agents'] {
  return {
    org,
    target,
    agent: 'old',
    instance: 'old',
    version: '',
    identity: 'old',
    epoch: '1',
    registeredAt: at,
    evidence: 'e1',
    identityEpoch: '1',
    identitySince: at,
    identityChanged: false,
    places: null,
    seenAt: at,
    skewMs: null,
    observeOnly: null,
  };
}

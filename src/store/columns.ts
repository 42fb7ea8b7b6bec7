import type { Rows, Table } from './schema.ts';

/**
 * How each column is kept. `digits` are numbers of any length that compare by value, `json` is a value the store
 * does not look into, `reason` is text that an admitted row does not have at all.
 */
export type ColumnKind = 'text' | 'int' | 'bool' | 'digits' | 'json' | 'absent_or_text';

/**
 * What stands in place of what a column had, if that can no longer be read or has not the shape of its column: one row
 * is broken, and only what needs it (F56). In place of an int stands NaN. Who counts with either, or makes it part of
 * a name, before asking compares in vain, and does not fail for everybody else: so it is no symbol, which no text takes.
 */
class Unreadable {
  toString(): string {
    return '(unreadable)';
  }

  toJSON(): null {
    return null;
  }
}
export const UNREADABLE = Object.freeze(new Unreadable());

export function isReadable(row: object): boolean {
  const values = row as Readonly<Record<string, unknown>>;
  for (const name in values) if (isLost(values[name])) return false;
  return true;
}

/** Its key can be read: else nothing can be written to it, for nobody can name it. */
export function isNamed(row: object, key: readonly string[]): boolean {
  const values = row as Readonly<Record<string, unknown>>;
  for (const name of key) if (isLost(values[name])) return false;
  return true;
}

/** As it is told: null in place of what cannot be read. */
export const readableOrNull = <V>(value: V): V | null => (isLost(value) ? null : value);

export const isLost = (value: unknown) => value === UNREADABLE || Number.isNaN(value);

type Columns = { readonly [T in Table]: { readonly [C in keyof Rows[T] & string]: ColumnKind } };

export const COLUMNS = {
  services: {
    org: 'text',
    service: 'text',
    target: 'text',
    createdAt: 'int',
    newest: 'int',
    active: 'int',
    attempt: 'int',
    proven: 'json',
    settledTo: 'int',
    steadyUntil: 'int',
    state: 'text',
    outcome: 'text',
    since: 'int',
    position: 'digits',
    command: 'text',
    due: 'int',
    awaitsReport: 'bool',
    rejected: 'int',
    hidden: 'bool',
    sinceCheckpoint: 'int',
  },
  revisions: {
    org: 'text',
    service: 'text',
    revision: 'int',
    kind: 'text',
    origin: 'json',
    replicas: 'int',
    port: 'json',
    command: 'json',
    stabilityMs: 'int',
    deadlines: 'json',
    accepts: 'json',
    template: 'text',
    spec: 'json',
    git: 'json',
    actor: 'text',
    correlation: 'text',
    createdAt: 'int',
  },
  attempts: {
    org: 'text',
    service: 'text',
    revision: 'int',
    attempt: 'int',
    kind: 'text',
    startedAt: 'int',
    outcome: 'text',
    endedAt: 'int',
    artifact: 'text',
    port: 'int',
    command: 'json',
  },
  commands: {
    org: 'text',
    id: 'text',
    service: 'text',
    target: 'text',
    revision: 'int',
    attempt: 'int',
    kind: 'text',
    state: 'text',
    fence: 'digits',
    lapses: 'int',
    availableAt: 'int',
    cancelRequested: 'bool',
  },
  leases: {
    org: 'text',
    id: 'text',
    command: 'text',
    kind: 'text',
    service: 'text',
    target: 'text',
    fence: 'digits',
    caller: 'text',
    worker: 'text',
    instance: 'text',
    epoch: 'digits',
    grantedAt: 'int',
    acknowledgedAt: 'int',
    until: 'int',
    silenced: 'bool',
    growing: 'bool',
    endedAt: 'int',
    end: 'text',
    lastSeq: 'digits',
  },
  agents: {
    org: 'text',
    target: 'text',
    agent: 'text',
    instance: 'text',
    version: 'text',
    identity: 'text',
    epoch: 'digits',
    registeredAt: 'int',
    evidence: 'text',
    identityEpoch: 'digits',
    identitySince: 'int',
    identityChanged: 'bool',
    seenAt: 'int',
    skewMs: 'int',
  },
  registrations: {
    org: 'text',
    target: 'text',
    instance: 'text',
    epoch: 'digits',
    registeredAt: 'int',
    evidence: 'text',
    identityEpoch: 'digits',
    identitySince: 'int',
    identityChanged: 'bool',
  },
  scopes: {
    org: 'text',
    target: 'text',
    scope: 'text',
    epoch: 'digits',
    seqEpoch: 'digits',
    seq: 'digits',
    base: 'digits',
    asOf: 'int',
    receivedAt: 'int',
    completeAt: 'int',
    spanFrom: 'int',
    firstSeq: 'digits',
    unavailable: 'text',
    silenced: 'bool',
    swept: 'bool',
  },
  spans: {
    org: 'text',
    subject: 'text',
    from: 'int',
    until: 'int',
    firstSeq: 'digits',
    lastSeq: 'digits',
    epoch: 'digits',
    receivedAt: 'int',
    completeAt: 'int',
    unavailable: 'text',
  },
  workers: {
    org: 'text',
    worker: 'text',
    instance: 'text',
    kinds: 'json',
    target: 'text',
    service: 'text',
    spanFrom: 'int',
    seenAt: 'int',
  },
  heads: { org: 'text', position: 'digits', at: 'int', recoveredAt: 'int', floor: 'int' },
  incarnations: { ordinal: 'int', id: 'text', at: 'int', why: 'text', system: 'text', timeline: 'text' },
  recoveries: { org: 'text', at: 'int', from: 'digits', to: 'digits', evidence: 'text' },
  beats: { server: 'text', at: 'int', files: 'text' },
  blinds: { org: 'text', from: 'int', to: 'int' },
  ledger: {
    org: 'text',
    position: 'digits',
    receivedAt: 'int',
    id: 'text',
    service: 'text',
    target: 'text',
    revision: 'int',
    attempt: 'int',
    command: 'text',
    fence: 'digits',
    seq: 'digits',
    source: 'json',
    observedAt: 'text',
    kind: 'text',
    body: 'json',
    verdict: 'text',
    reason: 'absent_or_text',
  },
  evidenceIds: {
    org: 'text',
    source: 'text',
    id: 'text',
    body: 'text',
    position: 'digits',
    reason: 'text',
  },
  transitions: {
    org: 'text',
    position: 'digits',
    service: 'text',
    at: 'int',
    from: 'text',
    to: 'text',
    owner: 'text',
    evidence: 'text',
    revision: 'int',
    attempt: 'int',
    stage: 'text',
    recordedAt: 'int',
  },
  keys: {
    org: 'text',
    token: 'text',
    key: 'text',
    fingerprint: 'text',
    service: 'text',
    revision: 'int',
    attempt: 'int',
    made: 'json',
    createdAt: 'int',
  },
  tokens: {
    org: 'text',
    id: 'text',
    hash: 'text',
    name: 'text',
    role: 'text',
    target: 'text',
    service: 'text',
    createdAt: 'int',
    expiresAt: 'int',
    revokedAt: 'int',
    lastUsedAt: 'int',
  },
  links: { hash: 'text', org: 'text', token: 'text', expiresAt: 'int', usedAt: 'int' },
  targets: { org: 'text', target: 'text', runtime: 'text', createdAt: 'int', removedAt: 'int' },
  artifacts: { org: 'text', digest: 'text', size: 'int' },
  counters: { org: 'text', source: 'text', reason: 'text', count: 'int' },
  alarms: { org: 'text', position: 'digits', code: 'text', service: 'text', at: 'int' },
  checkpoints: { org: 'text', service: 'text', position: 'digits', receivedAt: 'int', proven: 'json' },
  retention: { org: 'text', keptFrom: 'int', position: 'digits', idsTo: 'digits' },
  settings: { from: 'int', settings: 'json' },
} as const satisfies Omit<Columns, 'ledger'> & { readonly ledger: Readonly<Record<string, ColumnKind>> };

/** `completeAt` in TypeScript, `complete_at` in the database. */
export const sqlName = (name: string) => name.replace(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`);

import { describe, expect, it } from 'vitest';
import type { Body, Evidence } from '../../contract/evidence.ts';
import { parseReport, type Report } from '../../contract/report.ts';
import type { Kind } from '../../contract/vocabulary.ts';
import { withDefaults } from '../../projection/deadlines.ts';
import { DEFAULT_SETTINGS, type Liveness } from '../../projection/facts.ts';
import { fold } from '../../projection/fold.ts';
import type { RevisionRow, ScopeRow } from '../../store/schema.ts';
import { scopeLiveness } from '../door/liveness.ts';
import { ServiceFile } from '../door/service-file.ts';
import { decideReport, type ReportDecision, type Why } from './decide-report.ts';
import { groupItems } from './items.ts';
import { nextScope } from './scope.ts';

const T0 = Date.parse('2026-11-14T14:00:00.000Z');
const WEB = 'web@lab';
const DIGEST = `sha256:${'9b1f'.repeat(16)}`;
const CALM: ReportDecision = { kind: 'calm' };

/** Each case accepts some reports and decides one more; `why` lists every reason to record the last one. */
const RECORDED: readonly { name: string; why: readonly Why[]; decide: () => ReportDecision }[] = [
  {
    name: 'shows an instance for the first time',
    why: ['news', 'first_of_attempt'],
    decide: () => applied().decides(full([instance('a')]), 1),
  },
  {
    name: 'shows for the first time that nothing of the attempt is there',
    why: ['first_of_attempt'],
    decide: () => applied().decides(full([]), 1),
  },
  {
    name: 'shows the contract stable',
    why: ['first_of_attempt', 'state_changes', 'contract_turns', 'attempt_settles'],
    decide: () =>
      applied()
        .takes(full([instance('a')]), 1)
        .decides(full([instance('a')]), 5),
  },
  {
    name: 'shows the contract broken',
    why: ['news', 'state_changes', 'contract_turns'],
    decide: () => running().decides(full([instance('a', { ready: false })]), 6),
  },
  {
    name: 'ends a silence',
    why: ['state_changes'],
    decide: () =>
      running()
        .isRecorded('unknown', 20)
        .decides(full([instance('a')]), 21),
  },
  {
    name: 'shows another address only',
    why: ['news'],
    decide: () => running().decides(full([instance('a')], [{ service: WEB, urls: ['http://web/'] }]), 6),
  },
  {
    name: 'is incomplete and names all that is stored',
    why: ['refreshes_named'],
    decide: () => running().decides({ ...full([instance('a')]), complete: false }, 6),
  },
  {
    name: 'confirms one of two scopes',
    why: ['scope_stabilizes'],
    decide: () =>
      applied({ replicas: 2 })
        .takes({ ...full([instance('a')]), scope: 'east' }, 1)
        .takes({ ...full([instance('b')]), scope: 'west' }, 2)
        .decides({ ...full([instance('a')]), scope: 'east' }, 3),
  },
  {
    name: 'shows again after a recovery what was stored before it',
    why: ['state_changes', 'observed_after_recovery'],
    decide: () =>
      running()
        .isRecovered(6)
        .decides(full([instance('a')]), 7),
  },
  {
    name: 'shows in another place what the former one showed',
    why: ['state_changes', 'contract_turns', 'another_place'],
    decide: () =>
      running()
        .isMoved(6)
        .decides({ ...full([instance('a')]), epoch: '2' }, 7),
  },
  {
    name: 'shows a template that was adopted just now',
    why: ['news', 'template_adopted', 'state_changes'],
    decide: () => {
      const watched = observeMode();
      watched.adopts('t1');
      return watched.decides(full([pod('p', 't1')], [{ service: WEB, template: 't1' }]), 1, true);
    },
  },
];

describe('a report is recorded', () => {
  it.each(RECORDED)('when it $name', ({ why, decide }) => {
    expect(decide()).toMatchObject({ kind: 'record', why });
  });

  it('for every reason of the list', () => {
    const reached = new Set(RECORDED.flatMap(({ why }) => why));
    const every: Record<Why, true> = {
      news: true,
      template_adopted: true,
      first_of_attempt: true,
      state_changes: true,
      contract_turns: true,
      attempt_settles: true,
      refreshes_named: true,
      scope_stabilizes: true,
      observed_after_recovery: true,
      another_place: true,
    };
    expect(reached).toEqual(new Set(Object.keys(every)));
  });

  it('as evidence of the route where only the entry differs', () => {
    const entry = { service: WEB, urls: ['http://web/'] };
    expect(running().decides(full([instance('a')], [entry]), 6)).toMatchObject({
      evidence: 'route.observed',
    });
    expect(running().decides(full([]), 6)).toMatchObject({ evidence: 'runtime.observed' });
  });

  it('with the silence that it ends', () => {
    const decision = running()
      .isRecorded('unknown', 20)
      .decides(full([instance('a')]), 21);
    expect(decision).toMatchObject({ body: { silentSince: at(20), asOf: at(21) } });
  });

  it('as no younger than before where it leaves out something that is stored', () => {
    const watched = applied({ replicas: 2 }).takes(full([instance('a'), instance('b')]), 1);
    const some = { ...full([instance('a', { ready: false })]), complete: false };
    expect(watched.decides(some, 4)).toMatchObject({ body: { asOf: at(1), changedAsOf: at(4) } });
  });

  it('with an alarm for numbers that were never issued, once (F24)', () => {
    const forged = full([instance('x', { revision: 9 })]);
    const watched = applied();
    expect(watched.decides(forged, 1)).toMatchObject({ kind: 'record', alarm: 'unissued' });
    const again = watched.takes(forged, 1).decides(full([instance('x', { revision: 9, ready: false })]), 2);
    expect(again).toMatchObject({ kind: 'record', alarm: null });
  });
});

describe('a report is calm', () => {
  it('when it shows what is stored, before the contract can be stable', () => {
    expect(
      applied()
        .takes(full([instance('a')]), 1)
        .decides(full([instance('a')]), 2),
    ).toEqual(CALM);
  });

  it('when it shows what is stored, after the contract is held', () => {
    expect(running().decides(full([instance('a')]), 6)).toEqual(CALM);
    expect(running().decides({ base: '2' }, 6)).toEqual(CALM);
  });
});

describe('a report that does not cover a service has its claim judged again', () => {
  it('when the agent cannot read the scope', () => {
    const blind = { ...full([]), unavailable: 'runtime_unreachable' };
    expect(running().decides(blind, 6)).toEqual({ kind: 'rejudge' });
  });

  it('when it is incomplete and does not name the service', () => {
    expect(running().decides({ ...full([]), complete: false }, 6)).toEqual({ kind: 'rejudge' });
  });

  it('but not when it shows an instance of it as another service’s', () => {
    const moved = { ...full([instance('a', { service: 'api@lab' })]), complete: false };
    expect(running().decides(moved, 6)).toMatchObject({ kind: 'record', body: { instances: [] } });
  });
});

describe('a template without a revision', () => {
  const report = full([pod('p', 't1')], [{ service: WEB, template: 't1', replicas: 3 }]);

  it('is adopted before the report is decided', () => {
    const revision = { kind: 'observed', template: 't1', replicas: 3, git: null };
    expect(observeMode().decides(report, 1)).toMatchObject({ kind: 'adopt_template', revision });
  });

  it('is not adopted from an unavailable report', () => {
    expect(observeMode().decides({ ...report, unavailable: 'forbidden' }, 1)).toEqual({ kind: 'rejudge' });
  });
});

const at = (seconds: number) => T0 + seconds * 1000;

/** A service file with its accepted reports, as the door would have recorded them. */
class Watched {
  readonly file: ServiceFile;
  readonly #scopes = new Map<string, ScopeRow>();
  #position = 0;
  #seq = 0;

  constructor(intent: Partial<RevisionRow>) {
    this.file = new ServiceFile(null, { org: 'default', service: WEB, at: T0 }, liveness());
    this.file.revisions = [{ ...revision(), ...intent }];
    this.fold('intent.recorded', { kind: 'deploy', queued: false, actor: 'ana' }, T0);
    this.isRecorded('starting', 0);
  }

  decides(input: object, seconds: number, templateAdopted = false): ReportDecision {
    const { file } = this;
    const report = parsed({ epoch: '1', seq: String(++this.#seq), ...input });
    const items = groupItems(report, 'lab');
    const complete = report.kind !== 'full' || report.complete;
    const counted = { org: 'default', target: 'lab', report, complete, tainted: false };
    const scope = nextScope(this.#scopes.get(report.scope), counted, at(seconds));
    this.#scopes.set(report.scope, scope);
    const before = file.liveness;
    file.liveness = { ...file.liveness, scopes: [...this.#scopes.values()].map((row) => scopeLiveness(row)) };
    return decideReport(file, { report, items, scope, before, rule: null, templateAdopted }, at(seconds));
  }

  takes(input: object, seconds: number): this {
    const decision = this.decides(input, seconds);
    if (decision.kind === 'record') this.fold(decision.evidence, decision.body, at(seconds));
    return this.isRecorded(this.file.standing(at(seconds)).state, seconds);
  }

  adopts(template: string): void {
    this.file.revisions = [
      { ...revision(), origin: { kind: 'observe' }, revision: 2, kind: 'observed', template },
    ];
    this.fold('intent.recorded', { kind: 'observed', queued: false, actor: 'ana' }, T0, { revision: 2 });
  }

  isRecorded(state: NonNullable<ServiceFile['recorded']>['state'], seconds: number): this {
    this.file.recorded = { state, revision: 1, attempt: 1, since: at(seconds), position: '1' };
    return this;
  }

  isMoved(seconds: number): this {
    const run = { position: '90', at: at(seconds) };
    const runs = [
      { identity: 'x', epoch: '1', position: '0', at: T0 },
      { identity: 'y', epoch: '2', ...run },
    ];
    const agent = {
      epoch: '2',
      registeredAt: at(seconds),
      evidence: 'e90',
      identityEpoch: '2',
      identitySince: at(seconds),
      identityChanged: true,
      places: { runs, retired: [] },
    };
    this.file.liveness = { ...this.file.liveness, agent };
    return this.isRecorded('unknown', seconds);
  }

  isRecovered(seconds: number): this {
    this.file.liveness = { ...this.file.liveness, recoveredAt: at(seconds) };
    return this.isRecorded('unknown', seconds);
  }

  fold<K extends Kind>(kind: K, body: Body<K>, receivedAt: number, about: Partial<Evidence> = {}): void {
    const position = String(++this.#position);
    const row = { kind, body, position, id: `e${position}`, receivedAt, revision: 1, attempt: 1, ...about };
    this.file.proven = fold(this.file.proven, row as unknown as Evidence);
  }
}

function applied(intent: Partial<RevisionRow> = {}): Watched {
  const watched = new Watched(intent);
  const command = { command: `${WEB}.r1.a1.apply.1`, fence: '1' };
  watched.fold('command.acknowledged', {}, T0, command);
  watched.fold('runtime.applied', {}, T0, command);
  return watched;
}

const running = () =>
  applied()
    .takes(full([instance('a')]), 1)
    .takes(full([instance('a')]), 5);

const observeMode = () => new Watched({ origin: { kind: 'observe' } }).isRecorded('unknown', 0);

function full(instances: readonly object[], services: readonly object[] = []) {
  return { complete: true, instances, services };
}

function instance(uid: string, change: object = {}) {
  const stamp = { service: WEB, revision: 1, attempt: 1, fence: '1', artifact: DIGEST };
  return { uid, ...stamp, phase: 'running', ready: true, ...change };
}

function pod(uid: string, template: string) {
  return { uid, service: WEB, template, phase: 'running', ready: true };
}

function parsed(input: object): Report {
  const result = parseReport(input);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.report;
}

function revision(): RevisionRow {
  return {
    org: 'default',
    service: WEB,
    revision: 1,
    kind: 'deploy',
    origin: { kind: 'artifact', digest: DIGEST },
    replicas: 1,
    port: null,
    command: null,
    stabilityMs: 3000,
    deadlines: withDefaults({}),
    accepts: [],
    template: null,
    spec: {},
    git: null,
    actor: 'ana',
    createdAt: T0,
  };
}

function liveness(): Liveness {
  return {
    settings: DEFAULT_SETTINGS,
    scopes: [],
    unread: [],
    agent: null,
    lease: null,
    workers: [],
    blind: [],
    awakeUntil: at(1_000_000),
    recoveredAt: null,
    lost: null,
  };
}

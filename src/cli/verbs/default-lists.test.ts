import { describe, expect, it } from 'vitest';
import { sampleClaim } from '../../../test/cli/sample-views.ts';
import type { AgentView, ServiceItem, WorkerView } from '../../contract/answers/views.ts';
import type { Claim } from '../../contract/claim.ts';
import { listedAgents, listedServices, listedWorkers, uncoveredNote } from './default-lists.ts';

const HOUR = 3_600_000;

describe('services in a table', () => {
  const service = (ref: string, claim: Claim): ServiceItem => ({
    ...{ ref, name: ref, target: 'lab', org: 'default', urls: [], createdAt: claim.since },
    ...{ wanted: null, servingCopies: null, failingLine: null, holding: null },
    claim,
  });
  const stopped = (hoursAgo: number, more: Partial<Claim> = {}): Claim => {
    const claim = sampleClaim('stopped');
    const since = new Date(Date.parse(claim.now) - hoursAgo * HOUR).toISOString();
    return { ...claim, since, ...more };
  };
  const items = [
    service('old@lab', stopped(25)),
    service('gone@lab', stopped(23)),
    service('web@lab', sampleClaim('running')),
    service('zero@lab', stopped(99, { cause: { code: 'scaled_to_zero', params: {} } })),
    service('paused@lab', stopped(99, { cause: { code: 'job_suspended', params: {} } })),
    service('done@lab', stopped(99, { cause: { code: 'completed', params: {} } })),
    service('lost@lab', { ...sampleClaim('unknown'), since: stopped(99).since }),
  ];
  const refs = (all: boolean) => listedServices(items, all).map(({ ref }) => ref);

  it('are the current ones, then those torn down recently', () => {
    expect(refs(false)).toEqual(['web@lab', 'zero@lab', 'paused@lab', 'done@lab', 'lost@lab', 'gone@lab']);
  });

  it('are all of them with --all', () => {
    expect(refs(true).slice(-2)).toEqual(['old@lab', 'gone@lab']);
    expect(refs(true)).toHaveLength(items.length);
  });
});

it('says how many services a rule no longer covers, and since when', () => {
  const left = (ref: string, minutes: number): ServiceItem => {
    const claim = { ...sampleClaim('unknown'), cause: { code: 'not_observed' as const, params: {} } };
    const since = new Date(Date.parse(claim.now) - minutes * 60_000).toISOString();
    const about = { ref, name: ref, target: 'prod', org: 'default', urls: [], createdAt: since };
    return {
      ...about,
      wanted: null,
      servingCopies: null,
      failingLine: null,
      holding: null,
      claim: { ...claim, since },
    };
  };
  expect(uncoveredNote([])).toBeNull();
  expect(uncoveredNote([left('a.shop@prod', 5), left('b.shop@prod', 3)])).toBe(
    '2 services are not shown: the rule of prod no longer covers them (the last left 3 min 0 s ago). All: --all',
  );
});

describe('agents and workers in a table', () => {
  it('leave out fenced agents, and no silent one', () => {
    const agents = (['alive', 'stale', 'fenced'] as const).map((state) => ({ state }) as AgentView);
    expect(listedAgents(agents).map(({ state }) => state)).toEqual(['alive', 'stale']);
  });

  it('leave out replaced workers, and keep the last that is offline', () => {
    const worker = (name: string, state: WorkerView['state'], lastSeen: string) =>
      ({ worker: name, state, lastSeen }) as WorkerView;
    const items = [
      worker('a', 'offline', '2026-11-15T10:00:00.000Z'),
      worker('a', 'online', '2026-11-15T12:00:00.000Z'),
      worker('b', 'offline', '2026-11-15T09:00:00.000Z'),
      worker('b', 'offline', '2026-11-15T11:00:00.000Z'),
      worker('c', 'busy', '2026-11-15T09:00:00.000Z'),
      worker('c', 'online', '2026-11-15T11:00:00.000Z'),
    ];
    expect(listedWorkers(items)).toEqual([items[1], items[3], items[4], items[5]]);
  });
});

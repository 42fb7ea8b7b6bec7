import { describe, expect, it } from 'vitest';
import type { AgentView, WorkerView } from '../../../../src/contract/answers/views.ts';
import { brief, fleetLists } from './fleet.ts';

const AT = '2026-11-14T14:00:00.000Z';
const agent = (instance: string, state: AgentView['state']): AgentView => ({
  id: `lab.${instance}`,
  agent: 'agent-lab',
  target: 'lab',
  instance,
  epoch: '1',
  version: null,
  identity: null,
  state,
  asOf: null,
  watchAgeMs: null,
  skewMs: null,
  forbidden: [],
  scopes: [],
  observation: null,
  observeOnly: false,
  registeredAt: AT,
  seenAt: null,
});
const worker = (
  name: string,
  instance: string,
  state: WorkerView['state'],
  kinds = ['build'],
): WorkerView => ({
  worker: name,
  instance,
  kinds,
  state,
  lastSeen: AT,
  holds: [],
});
const listsOf = (agents: AgentView[], workers: WorkerView[]) => fleetLists({ agents, workers });
const names = (workers: readonly WorkerView[]) => workers.map((one) => one.worker);

describe('the fleet', () => {
  it('shows the commands of an agent beside it, and only there', () => {
    const takes = worker('agent-lab', 'a1', 'busy', ['apply', 'remove']);
    const { agents, workers } = listsOf([agent('a1', 'alive')], [takes, worker('b', 'b1', 'online')]);
    expect(agents).toEqual([{ agent: agent('a1', 'alive'), takes }]);
    expect(names(workers)).toEqual(['b']);
  });

  it('keeps silent agents in sight, and folds fenced ones away', () => {
    const { agents, fenced } = listsOf([agent('a2', 'stale'), agent('a1', 'fenced')], []);
    expect(agents.map((one) => one.agent.instance)).toEqual(['a2']);
    expect(fenced.map((one) => one.instance)).toEqual(['a1']);
  });

  it('keeps a fenced agent that still calls for work among the workers', () => {
    const { workers } = listsOf([agent('a1', 'fenced')], [worker('agent-lab', 'a1', 'online', ['apply'])]);
    expect(names(workers)).toEqual(['agent-lab']);
  });

  it('folds offline workers away, but not with a lease', () => {
    const holds = [{ lease: 'l', command: 'c', fence: '1', until: AT }];
    const { workers, offline } = listsOf(
      [],
      [worker('gone', 'b1', 'offline'), { ...worker('lost', 'b2', 'offline'), holds }],
    );
    expect(names(workers)).toEqual(['lost']);
    expect(names(offline)).toEqual(['gone']);
  });

  it('keeps a failing loop in sight, and folds a server away that has ended', () => {
    const { platform, offline } = listsOf(
      [],
      [
        worker('sweeper', 'platform', 'offline', ['sweeper']),
        worker('server-1', 'platform', 'offline', ['server']),
        worker('server-2', 'platform', 'online', ['server']),
      ],
    );
    expect(names(platform)).toEqual(['sweeper', 'server-2']);
    expect(names(offline)).toEqual(['server-1']);
  });
});

it('a long name is cut, a short one is not', () => {
  expect([brief('builder-a'), brief('5165005b-e6cf-43c7')]).toEqual(['builder-a', '5165005b-e6c…']);
});

import { describe, expect, it } from 'vitest';
import type { AgentView, CommandView } from '../../../../src/contract/answers/views.ts';
import { advicesOf } from './advice.ts';
import type { Fleet } from './fleet.ts';
import { heardSentence, targetRows, workOf } from './target-rows.ts';

const AT = '2026-11-14T14:00:00.000Z';
const agent = (target: string, more: Partial<AgentView> = {}): AgentView => ({
  id: `${target}.i`,
  agent: `agent-${target}`,
  target,
  instance: 'i',
  epoch: '1',
  version: '1.4.2',
  identity: null,
  state: 'alive',
  asOf: AT,
  watchAgeMs: 100,
  skewMs: 12,
  forbidden: [],
  scopes: [],
  observation: null,
  observeOnly: false,
  registeredAt: AT,
  seenAt: AT,
  ...more,
});
const target = (name: string, runtime: 'process' | 'kubernetes' | null = 'process') => ({
  target: name,
  runtime,
  agent: null,
  services: 0,
  notOnRecord: [],
});
const scope = (name: string, more: Partial<AgentView['scopes'][number]> = {}) => ({
  scope: name,
  asOf: AT,
  unavailable: null,
  stalled: false,
  denied: [],
  absent: false,
  ...more,
});
const fleet = (more: Partial<Fleet>): Fleet => ({
  agents: [],
  workers: [],
  commands: [],
  targets: [],
  unreadable: [],
  ...more,
});
const command = (service: string, holder: CommandView['holder'] = null): CommandView => ({
  command: 'c',
  kind: 'apply',
  service,
  revision: 6,
  attempt: 1,
  state: 'published',
  waitsFor: 'agent',
  since: AT,
  holder,
  lapses: 0,
});

describe('the rows of targets', () => {
  it('puts silent ones first, then those in trouble, then calm ones by name', () => {
    const rows = targetRows(
      fleet({
        agents: [
          agent('forge'),
          agent('prod', { scopes: [scope('ns/data', { unavailable: 'forbidden' })] }),
          agent('edge', { state: 'stale' }),
          agent('base'),
        ],
        targets: [target('lost', null)],
      }),
    );
    expect(rows.map((row) => row.target)).toEqual(['edge', 'lost', 'prod', 'base', 'forge']);
  });

  it('counts work at the target, and leaves builds to the builders', () => {
    const [row] = targetRows(
      fleet({
        agents: [agent('edge')],
        commands: [command('sensors@edge'), { ...command('web@edge'), kind: 'build' }, command('web@prod')],
      }),
    );
    expect(row?.commands.map(({ service }) => service)).toEqual(['sensors@edge']);
    expect(workOf(row?.commands ?? [])).toBe('r6 of sensors waits for it');
    const held = command('web@edge', { worker: 'a', instance: 'i', until: AT });
    expect(workOf([command('sensors@edge'), held])).toBe('1 waits for it, 1 in work');
    expect(workOf([])).toBeNull();
  });

  it('says in one sentence who is heard', () => {
    const row = (name: string, state: AgentView['state'] | null) => ({
      target: name,
      agent: state === null ? null : agent(name, { state }),
    });
    expect(heardSentence([row('a', 'alive')])).toBe('a is heard.');
    expect(heardSentence([row('a', 'alive'), row('b', 'alive')])).toBe('All 2 are heard.');
    expect(heardSentence([row('a', 'alive'), row('b', 'alive'), row('edge', 'stale')])).toBe(
      'Two of three are heard; edge is silent.',
    );
    expect(heardSentence([row('edge', 'stale'), row('new', null)])).toBe(
      'None is heard; edge is silent; new has no agent.',
    );
  });
});

describe('what to do at a target', () => {
  const advice = (one: AgentView | null, runtime: 'process' | 'kubernetes' = 'process') =>
    advicesOf({ target: 'edge', runtime, agent: one, notOnRecord: [] });

  it('is nothing while all is well', () => {
    expect(advice(agent('edge', { scopes: [scope('*')] }))).toEqual([]);
  });

  it('is to start an agent where there is none, and to look at the machine where one is silent', () => {
    expect(advice(null)[0]?.steps[0]?.command).toEqual({
      line: 'evident agent --target edge --runtime process',
      where: 'Run on the machine that is edge:',
    });
    // A command before the look would be copied first, and start a second agent beside one that is only cut off.
    const [look, start] = advice(agent('edge', { state: 'stale' }))[0]?.steps ?? [];
    expect(look?.lead).toMatch(/^Look at edge itself/);
    expect(look?.text).toMatch(/^It is silent since \d\d:\d\d:\d\d\./);
    expect(look?.command).toBeNull();
    expect(start?.lead).toMatch(/^Only if its agent has ended/);
    expect(start?.command?.line).toBe('evident agent --target edge --runtime process');
    // A silent agent's scopes all stand still: that is said once.
    expect(advice(agent('edge', { state: 'stale', scopes: [scope('*', { stalled: true })] }))).toHaveLength(
      1,
    );
    expect(advice(agent('edge', { state: 'stale' }), 'kubernetes')[0]?.steps[0]?.lead).toContain('pod');
  });

  it('names the missing permissions and grants what the rule asks for, not less', () => {
    const denied = [{ verb: 'list', resource: 'pods' }];
    const one = agent('edge', {
      observation: { version: 2, namespaces: ['shop', 'data'], selector: null, ask: false },
      scopes: [scope('ns/shop'), scope('ns/data', { unavailable: 'forbidden', denied })],
    });
    const [first] = advice(one, 'kubernetes');
    expect(first?.brief).toBe('Cannot read namespace data');
    expect(first?.steps[0]?.text).toContain('the agent may not list pods');
    expect(first?.steps[0]?.command?.line).toBe(
      'evident agent install --target edge --namespace shop --namespace data | kubectl apply -f -',
    );
    expect(first?.steps[1], 'its role may have gone with it').toMatchObject({
      lead: 'Only if namespace data is no more, observe the others alone.',
      command: { line: 'evident observe edge --namespace shop' },
    });
  });

  it('does not leave out the only namespace, nor forget the labels of the rule', () => {
    const stepsOf = (scopes: AgentView['scopes'], selector: string | null = null) =>
      advice(
        agent('edge', { observation: { version: 1, namespaces: ['*'], selector, ask: true }, scopes }),
      )[0]?.steps ?? [];
    const closed = scope('ns/data', { unavailable: 'forbidden' });
    expect(stepsOf([closed])).toHaveLength(1);
    expect(stepsOf([closed, scope('ns/shop')], 'app=web')[1]?.command?.line).toBe(
      "evident observe edge --namespace shop --selector 'app=web' --ask-apps",
    );
  });

  it('tells a namespace that stands still from one that does not exist, and names a clock that is off', () => {
    const one = agent('edge', {
      skewMs: 9_000,
      scopes: [scope('ns/a', { stalled: true }), scope('ns/b', { absent: true })],
    });
    expect(advice(one, 'kubernetes').map(({ brief }) => brief)).toEqual([
      'Does not see namespace a',
      'Namespace b does not exist',
      'Its clock is 9.0 s ahead',
    ]);
  });

  it('names services that run there and are not on record', () => {
    const [only] = advicesOf({
      target: 'edge',
      runtime: null,
      agent: agent('edge'),
      notOnRecord: ['web@edge'],
    });
    expect(only?.steps[0]?.text).toContain('web@edge runs there');
  });
});

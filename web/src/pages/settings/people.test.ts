import { expect, it } from 'vitest';
import type { TokenView } from '../../../../src/contract/answers/views.ts';
import { peopleOf } from './people.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const token = (more: Partial<TokenView>): TokenView => ({
  ...{ id: 't1', role: 'deployer', name: 'ana', org: 'default', target: '*', service: '*' },
  ...{ createdAt: '2026-11-01T00:00:00Z', expiresAt: null, revokedAt: null, lastUsedAt: null },
  ...more,
});

it('gathers the tokens of a name, with the strongest role and the last use', () => {
  const { people } = peopleOf(
    [
      token({ lastUsedAt: '2026-11-16T00:00:00Z' }),
      token({ role: 'operator', target: 'edge', lastUsedAt: '2026-11-17T00:00:00Z' }),
      token({ name: 'zoe' }),
    ],
    NOW,
  );
  expect(people).toEqual([
    {
      ...{ name: 'ana', role: 'operator', tokens: 2, lastUsedAt: '2026-11-17T00:00:00Z' },
      bindings: ['everything', 'target edge'],
    },
    { name: 'zoe', role: 'deployer', tokens: 1, lastUsedAt: null, bindings: ['everything'] },
  ]);
});

it('leaves out builders and agents, and counts whose tokens have ended', () => {
  const tokens = [
    token({ name: 'agent-edge', role: 'agent' }),
    token({ name: 'builder', role: 'builder' }),
    token({ name: 'lee', revokedAt: '2026-11-16T00:00:00Z' }),
    token({ name: 'mei', expiresAt: '2026-11-17T11:59:59Z' }),
    token({ name: 'mei' }),
  ];
  const { people, ended } = peopleOf(tokens, NOW);
  expect(people.map(({ name, tokens: count }) => [name, count])).toEqual([['mei', 1]]);
  expect(ended).toBe(1);
});

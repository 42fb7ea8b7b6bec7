import { expect, it } from 'vitest';
import type { VerdictName } from '../../kubernetes/verdict/verdict.ts';
import { forPeople } from './for-people.ts';
import type { InspectedObject } from './inspect-table.ts';

const object = (verdict: VerdictName, id: string, namespace: string | null = null): InspectedObject => {
  const [kind = '', name = ''] = id.split('/');
  const words = { reason: null, stage: null, owner: 'none' as const, user: '', operator: '' };
  return { kind, name, namespace, verdict, ...words };
};

it('shows problems first, each in the order it was read, and sums up what the cluster itself is made of', () => {
  const { lines, note } = forPeople([
    object('ready', 'APIService/v1.'),
    object('ready', 'APIService/v1.apps'),
    object('failed', 'APIService/v1beta1.metrics'),
    object('ready', 'Node/n1'),
    object('ready', 'Namespace/shop'),
    object('ready', 'Service/web', 'shop'),
    object('progressing', 'Pod/web-2', 'shop'),
    object('unknown', 'Pod/web-1', 'shop'),
    object('stopped', 'Deployment/old', 'shop'),
    object('failed', 'Deployment/web', 'shop'),
  ]);
  expect(lines.map(({ kind, name }) => `${kind}/${name}`)).toEqual([
    'APIService/v1beta1.metrics',
    'Deployment/web',
    'Pod/web-1',
    'Pod/web-2',
    'Deployment/old',
    'Node/n1',
    'Service/web',
  ]);
  expect(note).toBe('Of no namespace, and ready: 2 APIService, 1 Namespace. Each of them: -o wide');
  expect(forPeople([object('ready', 'Pod/web', 'shop')]).note).toBeNull();
});

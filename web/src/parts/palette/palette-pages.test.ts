import { expect, it } from 'vitest';
import type { HumanRole } from '../../../../src/contract/vocabulary.ts';
import { pagesFor } from './palette-pages.ts';

const as = (role: HumanRole) => ({ role, org: 'default', name: '', session: null });

it('leads to the pages of a role, and to what needs somebody with its count', () => {
  const titles = (role: HumanRole, needing: number) =>
    pagesFor(as(role), 0, needing).map(({ title }) => title);
  expect(titles('viewer', 0)).toEqual(['Services', 'Model', 'Settings', 'Command line']);
  expect(titles('viewer', 2)).toContain('Services that need a deployer');
  expect(pagesFor(as('deployer'), 0, 2)).toContainEqual({
    title: 'Services that need you',
    address: '/?show=needs+you',
    note: '2',
  });
  expect(titles('admin', 0)).toContain('Observation rules');
  expect(pagesFor(as('admin'), 1, 0).find(({ title }) => title === 'Targets')?.note).toBe('1 silent');
});

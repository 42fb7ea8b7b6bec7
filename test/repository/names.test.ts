import { expect, test } from 'vitest';
import { sharedNames } from '../../scripts/check-names.ts';

const shared = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(sharedNames(new Map(Object.entries(texts))));

test('finds a name that two files declare, whatever each of them calls by it', () => {
  expect(
    shared({
      'src/a.ts': 'export interface Plan {\n  readonly start: number;\n}\n\nexport abstract class Place {}',
      'web/src/b.tsx': 'type Plan = readonly string[];\nclass Place<T> {}',
      'sim/c.ts': "export type Plans = Plan[];\ninterface Place {}\nimport type { Plan } from '../src/a.ts';",
    }),
  ).toEqual({ Plan: ['src/a.ts', 'web/src/b.tsx'], Place: ['sim/c.ts', 'src/a.ts', 'web/src/b.tsx'] });
});

test('is silent about imports, re-exports, local types and two declarations in one file', () => {
  expect(
    shared({
      'src/a.ts': 'export class Store {}\nexport interface Store {\n  close(): void;\n}',
      'src/b.ts': "import {\n  type Store,\n} from './a.ts';\nexport type { Store } from './a.ts';",
      'src/c.ts': 'function open() {\n  type Store = string;\n}',
    }),
  ).toEqual({});
});

test('lets every component call its properties Props, unless it exports them', () => {
  expect(shared({ 'web/src/a.tsx': 'interface Props {}', 'web/src/b.tsx': 'type Props = {};' })).toEqual({});
  expect(
    shared({ 'web/src/a.tsx': 'export interface Props {}', 'web/src/b.tsx': 'export type Props = {};' }),
  ).toEqual({ Props: ['web/src/a.tsx', 'web/src/b.tsx'] });
});

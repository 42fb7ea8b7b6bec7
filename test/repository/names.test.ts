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

test('finds a function or constant that two files export, and is silent about those that one keeps to itself', () => {
  expect(
    shared({
      'src/a.ts': 'export async function read() {}\nexport const LIMIT = 1;\nexport function own() {}',
      'src/b.ts': "export const read = () => 1;\nexport function* LIMIT() {}\nexport { own } from './a.ts';",
      'src/c.ts': 'function own() {}\nconst LIMIT = 2;\nfunction inner() {\n  const read = 1;\n}',
    }),
  ).toEqual({ read: ['src/a.ts', 'src/b.ts'], LIMIT: ['src/a.ts', 'src/b.ts'] });
});

test('lets a component have the name of a type, and not of another component', () => {
  const component = 'export function Service() {}';
  expect(shared({ 'src/a.ts': 'export class Service {}', 'web/src/a.tsx': component })).toEqual({});
  expect(shared({ 'web/src/a.tsx': component, 'web/src/b.tsx': component })).toEqual({
    '<Service>': ['web/src/a.tsx', 'web/src/b.tsx'],
  });
});

test('lets every component call its properties Props, unless it exports them', () => {
  expect(shared({ 'web/src/a.tsx': 'interface Props {}', 'web/src/b.tsx': 'type Props = {};' })).toEqual({});
  expect(
    shared({ 'web/src/a.tsx': 'export interface Props {}', 'web/src/b.tsx': 'export type Props = {};' }),
  ).toEqual({ Props: ['web/src/a.tsx', 'web/src/b.tsx'] });
});

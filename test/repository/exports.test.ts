import { expect, test } from 'vitest';
import { exportsOf, unusedExports } from '../../scripts/check-exports.ts';

const inSrc = (file: string) => file.startsWith('src/');

test('finds every kind of export', () => {
  const text = `
export const one = 1;
export async function two() {}
export abstract class Three {}
export interface Four {}
export type Five<T> = T;
export function* six() {}
const seven = 7;
export { seven, seven as eight };
export type { Nine } from './nine.ts';
`;
  expect(exportsOf(text)).toEqual('one two Three Four Five six seven eight Nine'.split(' '));
});

test('finds an export that no other file imports', () => {
  const sources = {
    'src/a/one.ts': 'export const used = 1;\nexport const own = used;\nexport type Unused = string;',
    'src/b/two.ts': "import { used as mine } from '../a/one.ts';\nexport const unused = mine;",
    'test/two.test.ts': "import {\n  own,\n} from '../src/a/one.ts';\nexport const here = own;",
  };
  expect(unusedExports(sources, inSrc)).toEqual(['src/a/one.ts: Unused', 'src/b/two.ts: unused']);
});

test('follows imports of whole files and exports that are passed on', () => {
  const sources = {
    'src/one.ts': 'export const a = 1;\nexport const b = 2;',
    'src/two.ts': 'export const c = 1;\nexport const d = 2;',
    'src/three.ts': 'export const e = 1;\nexport type F = string;',
    'src/user.ts': "const { a } = await import('./one.ts');\nexport { e } from './three.ts';",
    'src/other.ts': "import * as two from './two.ts';\nlet f: import('./three.ts').F;",
    'src/last.ts': "import type { e } from './user.ts';",
  };
  expect(unusedExports(sources, inSrc)).toEqual(['src/one.ts: b']);
});

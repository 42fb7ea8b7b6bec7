import { expect, test } from 'vitest';
import { circlesIn, importsOf } from '../../scripts/check-circles.ts';

const files = (sources: Readonly<Record<string, string>>) =>
  new Map(Object.entries(sources).map(([file, text]) => [file, importsOf(file, text)]));

test('finds files that import each other, type-only imports included', () => {
  const imports = files({
    'src/a/one.ts': "import { two } from './two.ts';",
    'src/a/two.ts': "import type { Three } from '../b/three.ts';",
    'src/b/three.ts': "export type Three = import('../a/one.ts').One;",
    'src/b/four.ts': "import './three.ts'; import 'node:fs';",
  });
  expect(circlesIn(imports)).toEqual([['src/a/one.ts', 'src/a/two.ts', 'src/b/three.ts']]);
});

test('finds a file that imports itself, and several circles apart from each other', () => {
  const imports = files({
    'src/self.ts': "import './self.ts';",
    'src/x.ts': "import './y.ts';",
    'src/y.ts': "import './x.ts'; import './self.ts';",
  });
  expect(circlesIn(imports)).toEqual([['src/self.ts'], ['src/x.ts', 'src/y.ts']]);
});

test('is silent about a tree whose imports lead one way, though they meet again', () => {
  const imports = files({
    'src/top.ts': "import './left.ts'; import './right.ts';",
    'src/left.ts': "import './ground.ts';",
    'src/right.ts': "import './ground.ts'; import './gone.ts';",
    'src/ground.ts': '',
  });
  expect(circlesIn(imports)).toEqual([]);
});

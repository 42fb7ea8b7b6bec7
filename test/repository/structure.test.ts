import { describe, expect, test } from 'vitest';
import { violationsIn } from '../../scripts/check-structure.ts';

const refused = (file: string, code: string) => violationsIn(file, code).map(({ message }) => message);

describe('the import table', () => {
  test.each([
    ["import { a } from '../intent/x.ts';"],
    ["import type { a } from '../intent/x.ts';"],
    ["import '../intent/x.ts';"],
    ["export { a } from '../intent/x.ts';"],
    ["export * from '../intent/x.ts';"],
    ["const a = await import('../intent/x.ts');"],
    ["type A = import('../intent/x.ts').A;"],
    ["import { a } from '../../src/intent/x.ts';"],
  ])('refuses evidence to intent in every form: %s', (code) => {
    expect(violationsIn('src/evidence/a.ts', `// first line\n${code}`)).toEqual([
      {
        file: 'src/evidence/a.ts',
        line: 2,
        message: expect.stringContaining('evidence may not import intent'),
      },
    ]);
  });

  test('goes by the file an import leads to, not by its text', () => {
    expect(refused('src/evidence/deep/a.ts', "import { a } from '../../intent/x.ts';")).toHaveLength(1);
    expect(refused('src/evidence/deep/a.ts', "import { a } from '../intent/x.ts';")).toEqual([]);
    expect(refused('src/evidence/a.ts', "import { a } from '../contract/intent/x.ts';")).toEqual([]);
  });

  test.each([
    ['contract', 'projection'],
    ['projection', 'store'],
    ['store', 'projection'],
    ['evidence', 'ownership'],
    ['intent', 'ownership'],
    ['repair', 'server'],
    ['runtime', 'build'],
    ['agent', 'store'],
    ['worker', 'store'],
    ['server', 'runtime'],
  ])('%s may not import %s', (folder, other) => {
    expect(refused(`src/${folder}/a.ts`, `import '../${other}/b.ts';`)).toHaveLength(1);
  });

  test.each([
    ['evidence', 'store'],
    ['intent', 'evidence'],
    ['repair', 'intent'],
    ['agent', 'runtime'],
    ['server', 'repair'],
    ['cli', 'agent'],
  ])('%s may import %s', (folder, other) => {
    expect(refused(`src/${folder}/a.ts`, `import '../${other}/b.ts';`)).toEqual([]);
  });

  test('keeps supervision from importing a kind of instance or the router, and not the reverse', () => {
    const supervise = 'src/runtime/supervise/a.ts';
    expect(refused(supervise, "import '../process/b.ts'; import type { R } from '../router/b.ts';")).toEqual([
      expect.stringContaining('src/runtime/supervise/ may not import src/runtime/process/'),
      expect.stringContaining('src/runtime/supervise/ may not import src/runtime/router/'),
    ]);
    expect(refused(supervise, "import '../port.ts'; import './b.ts';")).toEqual([]);
    expect(refused('src/runtime/process/a.ts', "import '../supervise/b.ts';")).toEqual([]);
    expect(refused('src/runtime/router/a.ts', "import '../supervise/b.ts';")).toEqual([]);
    expect(refused('src/runtime/router/a.ts', "import '../process/b.ts';")).toHaveLength(1);
  });

  test('lets tests compose what they need', () => {
    expect(refused('src/contract/a.test.ts', "import '../server/b.ts'; import 'node:fs';")).toEqual([]);
  });

  test('refuses a folder without a row, a file in no folder, and a way out of src/', () => {
    expect(refused('src/utils/a.ts', '')).toHaveLength(1);
    expect(refused('src/a.ts', '')).toHaveLength(1);
    expect(refused('src/cli/a.ts', "import '../utils/b.ts'; import '../../web/b.ts';")).toHaveLength(2);
  });

  test('lets the web UI import the contract, and nothing else of ours', () => {
    expect(refused('web/src/a.tsx', "import './b.css'; import '../../src/contract/claim.ts';")).toEqual([]);
    expect(refused('web/src/a.tsx', "import '../../src/client/client.ts';")).toHaveLength(1);
  });

  test('keeps Node and unlisted packages out of pure folders', () => {
    const code = "import 'node:fs/promises'; import 'fs'; import 'pino'; import { z } from 'zod';";
    expect(refused('src/projection/a.ts', code)).toHaveLength(3);
    expect(refused('src/store/a.ts', code)).toEqual([]);
  });
});

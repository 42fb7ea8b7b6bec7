import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPackage, workspaceOf } from './workspace.ts';

const uid = process.getuid?.() ?? 0;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-workspace-'));
  write('packages/api/package.json', '{}');
});
afterEach(() => rmSync(dir, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}
const found = (path = 'packages/api', as = uid) => workspaceOf(join(dir, path), as)?.root ?? null;

describe('the workspace of a package', () => {
  it.each([
    ['package.json', '{"workspaces": ["packages/*"]}'],
    ['package.json', '{"workspaces": {"packages": ["./packages/*/"]}}'],
    ['pnpm-workspace.yaml', 'packages: ["packages/**"]'],
  ])('is named by %s with %s', (file, text) => {
    write(file, text);
    expect(found()).toBe('packages/api');
    expect(workspaceOf(join(dir, 'packages/api'), uid)?.top).toBe(dir);
    expect(found('packages')).toBeNull();
  });

  it.each(['{"workspaces": ["apps/*"]}', '{"workspaces": null}', '{}', 'no json'])(
    'is none with %s',
    (text) => {
      write('package.json', text);
      expect(found()).toBeNull();
    },
  );

  it('is not looked for above the repository, nor in a folder of another user', () => {
    write('package.json', '{"workspaces": ["packages/*"]}');
    expect(found('packages/api', uid + 1)).toBeNull();
    write('packages/.git/HEAD', '');
    expect(found()).toBeNull();
  });

  it.each([
    [['packages/*'], 'packages/a/b', false],
    [['packages/**'], 'packages/a/b', true],
    [['**'], 'a', true],
    [['packages/*', '!packages/old'], 'packages/old', false],
    [['api'], 'api', true],
    [['a.i'], 'api', false],
  ])('patterns %j and %s: %s', (patterns, root, is) => {
    expect(isPackage(patterns, root)).toBe(is);
  });
});

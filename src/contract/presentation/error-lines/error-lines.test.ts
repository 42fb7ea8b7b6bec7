import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorLines, errorPlaces } from './error-lines.ts';

const outputOf = (name: string) =>
  readFileSync(new URL(`./outputs/${name}.txt`, import.meta.url), 'utf8').split('\n');

/** Outputs of the real tools, as they are; only paths and hosts were changed. */
const TABLE: readonly (readonly [output: string, headline: string, lines: number])[] = [
  ['npm-404', 'Not Found - GET https://registry.example/no-such-package-evident-xyz', 2],
  [
    'npm-ci-lock',
    '`npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync. Please update your lock file with `npm install` before continuing.',
    2,
  ],
  ['npm-no-version', 'No matching version found for ms@99.0.0.', 1],
  ['npm-missing-command', 'webpackk: not found', 1],
  ['pnpm-404', 'GET https://registry.example/no-such-package-evident-xyz: Not Found - 404', 4],
  [
    'pnpm-lock',
    'Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date with <ROOT>/package.json',
    4,
  ],
  ['yarn-404', `Couldn't find package "no-such-package-evident-xyz" on the "npm" registry.`, 1],
  ['yarn-lock', 'Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.', 1],
  ['pip-version', 'Could not find a version that satisfies the requirement flask==99.0.0', 2],
  ['pip-build', 'RuntimeError: libfoo is not installed', 2],
  [
    'tsc',
    `src/server.ts(1,30): error TS2307: Cannot find module 'node:http' or its corresponding type declarations.`,
    6,
  ],
  [
    'tsc-pretty',
    `src/server.ts:1:30 - error TS2307: Cannot find module 'node:http' or its corresponding type declarations.`,
    6,
  ],
  ['vite-import', 'Rollup failed to resolve import "lodash-not-here" from "/app/src/main.js".', 4],
  [
    'vite-syntax',
    'src/main.js (1:0): Failed to parse source for import analysis because the content contains invalid JS syntax. If you are using JSX, make sure to name the file with the .jsx or .tsx extension.',
    5,
  ],
  ['esbuild', 'Could not resolve "./nope"', 4],
  ['go-build', './main.go:6:2: declared and not used: x', 2],
  ['go-module', 'main.go:3:8: no required module provides package example.com/nowhere/lib; to add it:', 2],
  ['go-panic', 'panic: DATABASE_URL is not set', 3],
  ['node-throw', 'Error: DATABASE_URL is not set', 6],
  ['node-module', `Error: Cannot find module 'expresss'`, 4],
  [
    'node-esm',
    `Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'expresss' imported from /app/server.mjs`,
    1,
  ],
  ['node-syntax', `SyntaxError: Unexpected token ';'`, 4],
  ['node-rejection', 'TypeError: fetch failed (cause: Error: bad port)', 3],
  ['node-in-use', 'Error: listen EADDRINUSE: address already in use :::45991', 2],
  ['python-keyerror', `KeyError: 'DATABASE_URL'`, 4],
  ['python-module', `ModuleNotFoundError: No module named 'flaskk'`, 3],
  ['python-syntax', 'SyntaxError: invalid syntax', 4],
  ['python-chain', 'RuntimeError: config.json is not valid', 3],
];

describe('the error in an output', () => {
  it.each(TABLE)('of %s', (name, headline, lines) => {
    const found = errorLines(outputOf(name));
    expect(found?.headline).toBe(headline);
    expect(found?.lines).toHaveLength(lines);
  });

  it.each(['npm-script', 'yarn-script', 'pnpm-script'])(
    'of %s is none: only the wrapper says that it failed',
    (name) => {
      expect(
        errorLines([...outputOf(name), 'The build failed: `npm run build` ended with code 3.']),
      ).toBeNull();
    },
  );

  it('of an app is the source line, the error and the frames of the app itself', () => {
    expect(errorLines(outputOf('node-throw'))?.lines).toEqual([
      '/app/server.js:5',
      '  if (!value) throw new Error(`DATABASE_URL is not set`);',
      '              ^',
      'Error: DATABASE_URL is not set',
      '    at need (/app/server.js:5:21)',
      '    at Object.<anonymous> (/app/server.js:8:13)',
    ]);
  });

  it('of a compiler comes before that of the tool which ran it', () => {
    const wrapped = [
      ...outputOf('tsc'),
      'npm error code 2',
      'npm error path /app',
      'npm error command sh -c tsc',
    ];
    expect(errorLines(wrapped)).toEqual(errorLines(outputOf('tsc')));
  });

  it('of an app that was started again is the last one', () => {
    const twice = [...outputOf('python-module'), 'starting', ...outputOf('python-keyerror')];
    expect(errorLines(twice)?.headline).toBe(`KeyError: 'DATABASE_URL'`);
  });

  it('says how many more a compiler lists', () => {
    const many = Array.from(
      { length: 30 },
      (_, i) => `src/a.ts(${i + 1},1): error TS2304: Cannot find name 'x'.`,
    );
    const found = errorLines(many, 4);
    expect(found?.headline).toBe(many[0]);
    expect(found?.lines).toEqual([...many.slice(0, 4), '… and 26 more']);
  });

  it('are all found by their places, for a log that marks them', () => {
    const trace = [
      'server.js:1',
      'throw new Error("no DB");',
      '^',
      '',
      'Error: no DB',
      '    at server.js:1:7',
    ];
    expect([...errorPlaces(['up', ...trace, '', 'up', ...trace])]).toEqual([5, 13]);
    expect(errorPlaces(['listening on 3999'])).toEqual(new Set());
  });

  it('of a program that nobody knows is the last line that sounds so', () => {
    expect(
      errorLines(['0 errors', 'warning: error prone', 'fatal: config.toml is not valid', 'bye']),
    ).toEqual({
      headline: 'fatal: config.toml is not valid',
      lines: ['0 errors', 'warning: error prone', 'fatal: config.toml is not valid', 'bye'],
    });
    expect(errorLines(['listening on 3999'])).toBeNull();
    expect(errorLines([])).toBeNull();
  });
});

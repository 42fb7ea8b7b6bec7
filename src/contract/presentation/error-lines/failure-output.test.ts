import { expect, it } from 'vitest';
import { buildEnding, failureOutputOf, sourcesOfLines } from './failure-output.ts';

it('shows the lines that name the cause, with paths below the folder that was deployed', () => {
  const app = `/var/lib/apps/1/artifacts/user-7/${'a'.repeat(64)}`;
  const shown = failureOutputOf([
    'booting',
    `${app}/server.js:5`,
    '  throw new Error("DATABASE_URL is not set")',
    '        ^',
    '',
    'Error: DATABASE_URL is not set',
    `    at need (${app}/lib/need.js:5:21)`,
    '    at node:internal/main/run_main_module:28:49',
    ...Array.from({ length: 20 }, () => 'bye'),
  ]);
  expect(shown).toEqual({
    headline: 'Error: DATABASE_URL is not set',
    lines: [
      'server.js:5',
      '  throw new Error("DATABASE_URL is not set")',
      '        ^',
      'Error: DATABASE_URL is not set',
      '    at need (lib/need.js:5:21)',
    ],
  });
});

it('shows the last lines where none names a cause', () => {
  const output = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  expect(failureOutputOf(output)).toEqual({ headline: null, lines: output.slice(8) });
});

it('shows what the builder says where no program failed', () => {
  const sentence = 'It is Node (package.json), but nothing says how to start it.';
  expect(failureOutputOf(['This is Node (package.json).', `The build failed: ${sentence}`])).toEqual({
    headline: sentence,
    lines: [sentence],
  });
});

it('gives the lines the times of the last start that wrote them, and none to a line of our own', () => {
  const read = ['boot', 'Error: x', '  at y', 'boot', 'Error: x', '  at y'].map((line, i) => ({
    line,
    at: `${i}`,
  }));
  const sources = sourcesOfLines(['Error: x', '  at y', '… and 2 more'], read);
  expect(sources.map((source) => source?.at ?? null)).toEqual(['4', '5', null]);
});

it('begins with text, and not with an empty line', () => {
  expect(
    failureOutputOf(['a', ...Array.from({ length: 3 }, () => ''), ...Array.from({ length: 10 }, () => 'b')])
      .lines,
  ).toEqual(Array.from({ length: 10 }, () => 'b'));
});

it('finds the command and the code with which a build ended', () => {
  expect(buildEnding(['> build', 'The build failed: `npm run build` ended with code 2.'])).toBe(
    'npm run build ended with code 2.',
  );
  expect(buildEnding(['The build failed: `make` was ended by SIGKILL.', ''])).toBe(
    'make was ended by SIGKILL.',
  );
  expect(buildEnding(['The build failed: It is Node, but nothing says how to start it.'])).toBeNull();
  expect(buildEnding(['The build failed: `x` ended with code 2.', 'and more'])).toBeNull();
  expect(buildEnding([])).toBeNull();
});

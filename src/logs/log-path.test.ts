import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attemptPart, pathPart, readAttemptPart, readSegmentName, segmentName } from './log-path.ts';

test('a name becomes exactly one part of a path (F100)', () => {
  for (const name of ['', '.', '..', '../x', 'a/b', 'a\0b', 'C:', 'x'.repeat(5000), '日本']) {
    expect(pathPart(name)).toMatch(/^[a-z0-9@_%~-]{1,200}$/);
  }
  expect(pathPart('web@lab')).toBe('web@lab');
});

test('different names are different parts, without regard to case', () => {
  const name = fc.oneof(
    fc.string(),
    fc.constantFrom('A', 'a', '%41', '~', '', '.', 'x'.repeat(200), 'X'.repeat(200)),
  );
  fc.assert(
    fc.property(name, name, (a, b) => {
      if (Buffer.from(a).equals(Buffer.from(b))) return;
      expect(pathPart(a).toLowerCase()).not.toBe(pathPart(b).toLowerCase());
    }),
  );
});

test('names of attempts and segments are parsed back, and no other name is', () => {
  expect(readAttemptPart(attemptPart({ revision: 12, attempt: 3 }))).toEqual({ revision: 12, attempt: 3 });
  for (const name of ['r1', 'r1-a', 'x', 'r1-a1.old', '..']) expect(readAttemptPart(name)).toBeNull();
  expect(readSegmentName('run', segmentName('run', 0))).toBe(0);
  expect(readSegmentName('run', segmentName('run', 7))).toBe(7);
  for (const name of ['build.ndjson', 'run', 'run.0.ndjson', 'run.x.ndjson']) {
    expect(readSegmentName('run', name)).toBeNull();
  }
});

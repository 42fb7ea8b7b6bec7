import { expect, it } from 'vitest';
import { ApiFailure } from '../api/problem.ts';
import { NamedNamespaces } from './named-namespaces.ts';

const refuse = (kind: 'absent' | 'forbidden') => Promise.reject(new ApiFailure({ kind, message: kind }));
const settled = () => new Promise((done) => setImmediate(done));

it('finds a named namespace that does not exist, and says when that changes', async () => {
  const asked: string[] = [];
  const there = new Set(['shop']);
  let changes = 0;
  const named = new NamedNamespaces(
    (path) => {
      const name = path.slice('/api/v1/namespaces/'.length);
      asked.push(name);
      if (name === 'hidden') return refuse('forbidden');
      return there.has(name) ? Promise.resolve({ value: {} }) : refuse('absent');
    },
    () => {
      changes += 1;
    },
  );
  named.look(['shop', 'shpo', 'hidden'], 0);
  await settled();
  expect(['shop', 'shpo', 'hidden'].filter((one) => named.isAbsent(one))).toEqual(['shpo']);
  expect(changes).toBe(1);
  named.look(['shop', 'shpo', 'hidden'], 14_999);
  expect(asked).toEqual(['shop', 'shpo', 'hidden']);
  there.add('shpo');
  named.look(['shpo'], 15_000);
  await settled();
  expect(named.isAbsent('shpo')).toBe(false);
  expect(changes).toBe(2);
});

it('forgets a namespace in which something is by now', async () => {
  const named = new NamedNamespaces(
    () => refuse('absent'),
    () => {},
  );
  named.look(['shpo'], 0);
  await settled();
  named.look([], 1);
  expect(named.isAbsent('shpo')).toBe(false);
});

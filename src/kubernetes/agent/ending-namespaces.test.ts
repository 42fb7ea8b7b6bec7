import { expect, it } from 'vitest';
import { ApiFailure } from '../api/problem.ts';
import { EndingNamespaces } from './ending-namespaces.ts';

const refuse = (kind: 'absent' | 'forbidden') => Promise.reject(new ApiFailure({ kind, message: kind }));
const ENDS = { value: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } } };
const STAYS = { value: { metadata: {} } };

function looking(answer: () => Promise<{ readonly value: unknown }>) {
  const asked: string[] = [];
  const changed: string[] = [];
  const ending = new EndingNamespaces(
    (path) => {
      asked.push(path.slice('/api/v1/namespaces/'.length));
      return answer();
    },
    (namespace) => changed.push(namespace),
  );
  return { ending, asked, changed };
}

it('finds a namespace that ends when something leaves it, and its end', async () => {
  let answer = () => Promise.resolve<{ value: unknown }>(ENDS);
  const { ending, asked, changed } = looking(() => answer());
  ending.left('shop', 0);
  expect(ending.isEnding('shop')).toBe(false);
  await ending.settled();
  expect(ending.isEnding('shop')).toBe(true);
  ending.left('shop', 1);
  ending.lookAgain(4_999);
  expect(asked).toEqual(['shop']);
  answer = () => refuse('absent');
  ending.lookAgain(5_000);
  await ending.settled();
  expect(ending.isEnding('shop')).toBe(false);
  expect(changed).toEqual(['shop', 'shop']);
});

it('believes no look that was sent before something left', async () => {
  const answers = [STAYS, ENDS];
  const { ending, asked } = looking(() => Promise.resolve(answers.shift() ?? ENDS));
  for (let pod = 0; pod < 3; pod++) ending.left('shop', 0);
  await ending.settled();
  expect(asked).toEqual(['shop', 'shop']);
  expect(ending.isEnding('shop')).toBe(true);
});

it('asks nobody for a while who refused', async () => {
  const { ending, asked } = looking(() => refuse('forbidden'));
  ending.left('shop', 0);
  await ending.settled();
  ending.left('shop', 299_999);
  expect([asked.length, ending.isEnding('shop')]).toEqual([1, false]);
  ending.left('shop', 300_000);
  expect(asked).toHaveLength(2);
});

import { expect, it } from 'vitest';
import { gitSchema } from './intent.ts';

it.each([
  ['https://git.larkfield.example/shop/commit/3f9c2e1', true],
  ['http://git.larkfield.example/shop/commit/3f9c2e1', false],
  ['javascript:alert(1)//https://', false],
  ['https://ana:secret@git.larkfield.example/shop', false],
  ['https://token@git.larkfield.example/shop', false],
  ['git@github.com:larkfield/shop.git', false],
  ['', false],
])('takes %s as the page of a commit: %s', (url, isTaken) => {
  expect(gitSchema.safeParse({ sha: '3f9c2e1', url }).success).toBe(isTaken);
});

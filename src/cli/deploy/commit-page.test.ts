import { expect, it } from 'vitest';
import { commitPage } from './commit-page.ts';

const SHA = '3f9c2e1aa0';

it.each([
  ['https://github.com/larkfield/shop.git', 'https://github.com/larkfield/shop/commit/3f9c2e1aa0'],
  ['https://ana:secret@github.com/larkfield/shop', 'https://github.com/larkfield/shop/commit/3f9c2e1aa0'],
  ['git@github.com:larkfield/shop.git\n', 'https://github.com/larkfield/shop/commit/3f9c2e1aa0'],
  ['ssh://git@gitlab.com:22/lark/field/shop.git', 'https://gitlab.com/lark/field/shop/-/commit/3f9c2e1aa0'],
  ['git@bitbucket.org:larkfield/shop.git', 'https://bitbucket.org/larkfield/shop/commits/3f9c2e1aa0'],
  ['https://Codeberg.org/larkfield/shop/', 'https://codeberg.org/larkfield/shop/commit/3f9c2e1aa0'],
])('finds the page of a commit behind %s', (remote, page) => {
  expect(commitPage(remote, SHA)).toBe(page);
});

it.each([
  ['a host whose pages nobody knows', 'git@git.larkfield.example:larkfield/shop.git'],
  ['a folder', '/srv/git/shop.git'],
  ['a folder of this machine', 'file:///srv/git/github.com/a/b'],
  ['no secured address', 'http://github.com/larkfield/shop'],
  ['a host as part of a name', 'https://github.com.example/larkfield/shop'],
  ['a host as who signs in', 'https://github.com@evil.example/larkfield/shop'],
  ['no repository', 'https://github.com/larkfield'],
  ['a path that leads out', 'https://github.com/larkfield/../../x'],
  ['nothing', ''],
])('finds none behind %s', (_what, remote) => {
  expect(commitPage(remote, SHA)).toBe(null);
});

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import {
  barePagesInComments,
  barePagesInMarkdown,
  complaintsAbout,
  mentionsInComments,
  mentionsInMarkdown,
} from '../../scripts/check-docs.ts';

const inMarkdown = (text: string) => mentionsInMarkdown(text).map(({ path }) => path);
const inComments = (text: string) => mentionsInComments(text).map(({ path }) => path);

test('finds paths in backticks and links, without their line or heading', () => {
  expect(
    inMarkdown('see `src/store/port.ts:12` and [this](adr/README.md#template), `store/port.ts`'),
  ).toEqual(['src/store/port.ts', 'store/port.ts', 'adr/README.md']);
});

test.each([
  '`/v1/services/web`',
  '`src/**/*.ts`',
  '`docs/<name>.md`',
  '`src/{a,b}/x.ts`',
  '`src/…/x.ts`',
  '`text/event-stream`',
  '`@fastify/static`',
  '`npm run check`',
  '[site](https://example.com/a.md)',
  '[part](#part)',
  '```\n`src/none.ts`\n```',
])('takes %s for no path', (text) => {
  expect(inMarkdown(text)).toEqual([]);
});

test('finds paths in comments only', () => {
  const code = [
    '// see src/store/port.ts, and',
    '/** docs/status.md. */',
    ' * (`../evidence/admit.ts`)',
    "const a = 'src/none.ts'; // test/none.test.ts",
    "const b = 'http://example.com/src/none.ts';",
  ];
  expect(inComments(code.join('\n'))).toEqual([
    'src/store/port.ts',
    'docs/status.md',
    '../evidence/admit.ts',
    'test/none.test.ts',
  ]);
});

describe('a page that is named without a folder', () => {
  const found = (text: string) => barePagesInMarkdown(text).map(({ path }) => path);

  it('is found in prose, links and comments', () => {
    expect(found('see notes.md, and [that](other.md#part) (`third.md`).')).toEqual([
      'notes.md',
      'other.md',
      'third.md',
    ]);
    expect(barePagesInComments('/** As notes.md says. */\nconst page = "none.md";')).toEqual([
      { line: 1, path: 'notes.md' },
    ]);
  });

  it.each([
    'docs/notes.md',
    '`docs/adr/<number>-<slug>.md`',
    '```\nnotes.md\n```',
    'https://a.example/notes.md',
  ])('is not found in %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('a sentence that no page backs', () => {
  const complaints = (text: string) => complaintsAbout(text, new Set(['S1', 'F02']));

  it('is a rule that is cited and not defined', () => {
    expect(complaints('// (S1, F02)\n// as S99 says, and `L7.count`')).toMatchObject([
      { line: 2, message: expect.stringContaining('S99') },
      { line: 2, message: expect.stringContaining('L7') },
    ]);
  });

  it('is an appeal to the design', () => {
    expect(complaints('one\n// as The Design says')).toMatchObject([{ line: 2 }]);
    expect(complaints('fails by design')).toEqual([]);
  });

  it.each(['AWS4', 'rF02', 'S1a', 'x-S99', '#F99', '0xS77', 'F1'])(
    'is not %s, which cites no rule',
    (text) => {
      expect(complaints(text)).toEqual([]);
    },
  );
});

test('docs/adr/README.md lists every decision record', () => {
  const records = readdirSync('docs/adr').filter((name) => /^\d{4}-/.test(name));
  const listed = mentionsInMarkdown(readFileSync('docs/adr/README.md', 'utf8')).map(({ path }) => path);
  expect(listed.filter((path) => /^\d{4}-/.test(path))).toEqual(records.toSorted());
});

test('links within docs/operations.md lead to a heading', () => {
  const page = readFileSync('docs/operations.md', 'utf8');
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  expect(links.filter((anchor) => !headings.includes(anchor ?? ''))).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { anchorLinksIn, anchorsOf } from '../../scripts/anchors.ts';
import {
  barePagesInComments,
  barePagesInMarkdown,
  complaintsAbout,
  mentionsInComments,
  mentionsInMarkdown,
} from '../../scripts/check-docs.ts';
import { commentsIn } from '../../scripts/comments-in.ts';
import { citingFiles } from '../../scripts/rules.ts';

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

describe('a comment', () => {
  const found = (text: string) => commentsIn(text).map(({ line, text }) => `${line}:${text.trim()}`);

  it.each([
    ['const a = 1; /** after code */', ['1:after code']],
    ['f(/* one */ a, /* two */ b); // three', ['1:one', '1:two', '1:three']],
    ['<p>{/* in a page */}</p>', ['1:in a page']],
    ['a(); /* begins\n * goes on\n ends */ b(); // last', ['1:begins', '2:goes on', '3:ends', '3:last']],
    ['<!-- of a page -->\n<p></p>', ['1:of a page']],
    ['color: red; /* of a style */', ['1:of a style']],
    ['/**/ a(); // after an empty one', ['1:', '1:after an empty one']],
  ])('is found in %j', (text, comments) => {
    expect(found(text)).toEqual(comments);
  });

  it.each([
    "const glob = 'src/**/*.ts';",
    'const url = "http://example.com"; const b = 1;',
    'const a = `// b /* c */`;',
    'const pattern = /a\\/\\*b/;',
  ])('is not found in %j', (text) => {
    expect(found(text)).toEqual([]);
  });
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
  const complaints = (text: string) => complaintsAbout(text, new Set(['S1', 'S2', 'F02']));

  it('is a rule that is cited and not defined', () => {
    expect(complaints('// (S1, F02)\n// as S99 says, and `L7.count`')).toMatchObject([
      { line: 2, message: expect.stringContaining('S99') },
      { line: 2, message: expect.stringContaining('L7') },
    ]);
  });

  it.each(['F1', '(F1)', 'S100', 'F002', 'L0'])('is %s, which no page defines', (text) => {
    expect(complaints(text)).toMatchObject([{ line: 1 }]);
  });

  it('is a counter that the oracle does not have', () => {
    expect(complaints('`S1.nothing`, `S1.running.nothing`')).toMatchObject([
      { message: expect.stringContaining('S1.nothing') },
      { message: expect.stringContaining('S1.running.nothing') },
    ]);
    expect(complaints('S1.running, S1.running.truth. `S2.unknown.`; S1.')).toEqual([]);
  });

  it.each([
    'one\n// as The Design says',
    'one\n/** as the\n * design says */',
    'one\n// as the\n  // design says',
    'one\nas the\ndesign says',
  ])('is an appeal to the design: %j', (text) => {
    expect(complaints(text)).toMatchObject([{ line: 2 }]);
  });

  it('is not a design of the reader', () => {
    expect(complaints('fails by design')).toEqual([]);
  });

  it.each(['AWS4', 'rF02', 'S1a', 'x-S99', '#F99', '0xS77'])('is not %s, which cites no rule', (text) => {
    expect(complaints(text)).toEqual([]);
  });
});

test('docs/adr/README.md lists every decision record', () => {
  const records = readdirSync('docs/adr').filter((name) => /^\d{4}-/.test(name));
  const listed = mentionsInMarkdown(readFileSync('docs/adr/README.md', 'utf8')).map(({ path }) => path);
  expect(listed.filter((path) => /^\d{4}-/.test(path))).toEqual(records.toSorted());
});

describe('a link to a heading', () => {
  it('names a page and an anchor', () => {
    const page =
      '[a](#one) [b](b.md#two)\n```\n[c](c.md#no)\n```\n[d](https://d.example/#no) [e](../e.md#three)';
    expect(anchorLinksIn(page)).toEqual([
      { line: 1, page: '', anchor: 'one' },
      { line: 1, page: 'b.md', anchor: 'two' },
      { line: 5, page: '../e.md', anchor: 'three' },
    ]);
  });

  it('leads to a heading as GitHub names it', () => {
    const page = '# What it is\n## `a` and (b), c/d\n```\n# none\n```\n### See [this](x.md)\n# What it is\n';
    expect([...anchorsOf(page)]).toEqual(['what-it-is', 'a-and-b-cd', 'see-this', 'what-it-is-1']);
  });
});

test('the files that are checked include styles, pages, lint rules and the command', () => {
  expect(citingFiles()).toEqual(
    expect.arrayContaining([
      'bin/evident',
      'scripts/pure.grit',
      'scripts/check.mjs',
      'test/repository/docs.test.ts',
      'web/index.html',
      'web/src/styles/base.css',
    ]),
  );
});

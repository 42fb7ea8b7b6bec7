import { expect, test } from 'vitest';
import { mentionsInComments, mentionsInMarkdown } from '../../scripts/check-docs.ts';

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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentsIn } from './documents.ts';

const named = (text: string) => {
  const { objects, bad } = documentsIn(text, 'x.yaml');
  return {
    objects: objects.map(
      (object) => `${object.kind}/${(object.metadata as { name?: string } | undefined)?.name ?? ''}`,
    ),
    bad: bad.map(({ where, why }) => `${where} ${why}`),
  };
};
const yaml = (kind: string, name: string) => `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;
const json = (kind: string, name: string) => ({ apiVersion: 'v1', kind, metadata: { name } });

describe('objects in a text', () => {
  it.each([
    ['one of YAML', yaml('Pod', 'a'), ['Pod/a']],
    ['one of JSON', JSON.stringify(json('Pod', 'a')), ['Pod/a']],
    ['a stream', `---\n${yaml('Pod', 'a')}---\n# nothing\n---\n${yaml('Job', 'b')}...\n`, ['Pod/a', 'Job/b']],
    [
      'a list',
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [json('Pod', 'a'), json('Job', 'b')] }),
      ['Pod/a', 'Job/b'],
    ],
    [
      'a typed list, whose items name no kind',
      JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items: [{ metadata: { name: 'a' } }] }),
      ['Pod/a'],
    ],
    ['an array', JSON.stringify([json('Pod', 'a'), json('Job', 'b')]), ['Pod/a', 'Job/b']],
    [
      'JSON in lines',
      [json('Pod', 'a'), json('Job', 'b')].map((o) => JSON.stringify(o)).join('\n'),
      ['Pod/a', 'Job/b'],
    ],
    [
      'JSON after JSON',
      [json('Pod', 'a'), json('Job', 'b')].map((o) => JSON.stringify(o, null, 2)).join('\n'),
      ['Pod/a', 'Job/b'],
    ],
    [
      'JSON and YAML in one stream',
      `${JSON.stringify(json('Pod', 'a'))}\n---\n${yaml('Job', 'b')}---\n${yaml('Job', 'c')}`,
      ['Pod/a', 'Job/b', 'Job/c'],
    ],
    ['a byte order mark', `\ufeff${yaml('Pod', 'a')}`, ['Pod/a']],
    ['line ends of Windows', yaml('Pod', 'a').replaceAll('\n', '\r\n'), ['Pod/a']],
    ['a key that stands twice, as kubectl reads it', `${yaml('Pod', 'a')}kind: Job\n`, ['Job/a']],
    ['an empty list of Go', JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items: null }), []],
    [
      'a kind that is only called a list',
      JSON.stringify({ apiVersion: 'x.io/v1', kind: 'AllowList', metadata: { name: 'a' } }),
      ['AllowList/a'],
    ],
    ['an empty list', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [] }), []],
  ])('%s', (_, text, objects) => {
    expect(named(text)).toEqual({ objects, bad: [] });
  });

  it('names the document that is bad, and reads the others', () => {
    const { objects, bad } = named(`${yaml('Pod', 'a')}---\n{ not: [closed\n---\n${yaml('Job', 'b')}`);
    expect(objects).toEqual(['Pod/a', 'Job/b']);
    expect(bad).toEqual([expect.stringContaining('x.yaml, document 2 is neither YAML nor JSON')]);
  });

  it.each([
    ['nothing at all', '', 'is empty'],
    ['a word', 'hello', 'no object of Kubernetes'],
    ['an object of something else', 'a: 1', 'no object of Kubernetes'],
    ['numbers', '[1, 2]', 'item 1 is no object of Kubernetes'],
    [
      'a list of something else',
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [null] }),
      'item 1 is no object',
    ],
    ['bytes', '\u0000\u0001\u0002', 'neither YAML nor JSON'],
    ['lists in lists', `${'['.repeat(50)}${']'.repeat(50)}`, 'too deep'],
    ['a list that is cut off', '['.repeat(200_000), 'neither YAML nor JSON'],
    ['an object that is cut off', '{"a":'.repeat(200_000), 'neither YAML nor JSON'],
    ['a megabyte of one word', 'x'.repeat(1_000_000), 'no object of Kubernetes'],
    ['a megabyte of colons', ': '.repeat(500_000), 'neither YAML nor JSON'],
    ['a megabyte of dashes', '- '.repeat(500_000), 'neither YAML nor JSON'],
  ])('refuses %s', (_, text, why) => {
    const { objects, bad } = named(text);
    expect(objects).toEqual([]);
    expect(bad.join('\n')).toContain(why);
  });

  it('is not blown up by aliases', () => {
    const levels = Array.from(
      { length: 30 },
      (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`,
    );
    const bomb = `a0: &a0 [x]\n${levels.join('\n')}\n${yaml('Pod', 'a')}`;
    expect(named(bomb)).toEqual({ objects: ['Pod/a'], bad: [] });
  });

  it('lets no document reach the prototype of others', () => {
    named('__proto__:\n  polluted: yes\napiVersion: v1\nkind: Pod\n');
    named(
      '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "apiVersion": "v1", "kind": "Pod"}',
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('never throws', () => {
    const pieces = fc.constantFrom(
      '---\n',
      'kind: Pod\n',
      'apiVersion: v1\n',
      '{',
      '}',
      '[',
      '- ',
      ': ',
      '&a ',
      '*a',
      '<<: *a\n',
      '"',
      '|\n  ',
      '!!x ',
      '%',
      '\u0000',
      '\n',
      'items:\n',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(pieces, { maxLength: 40 }).map((some) => some.join('')),
        ),
        (text) => {
          documentsIn(text, 'x');
        },
      ),
      { numRuns: 2000 },
    );
  });
});

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type TarEntry as PackedEntry, packTar, type TarHeader, unpackTar } from 'modern-tar';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gunzipped } from './gunzipped.ts';
import { checked, storeSource } from './source-archive.ts';
import { SourceRejected, type SourceRule } from './source-rejected.ts';
import { SOURCE_LIMITS, type SourceLimits } from './source-rules.ts';
import { ArtifactStore } from './store.ts';
import { TarReader } from './tar-reader.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-source-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const file = (name: string, body = 'x', more: Partial<TarHeader> = {}): PackedEntry => ({
  header: { name, size: Buffer.byteLength(body), type: 'file', ...more },
  body,
});
const entry = (name: string, type: TarHeader['type'], more: Partial<TarHeader> = {}): PackedEntry => ({
  header: { name, size: 0, type, ...more } as TarHeader,
});
const tar = async (...entries: PackedEntry[]) => Buffer.from(await packTar(entries));

async function* inChunks(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function verdict(
  bytes: Uint8Array,
  limits: Partial<SourceLimits> = {},
  size = 1000,
): Promise<'taken' | SourceRejected> {
  try {
    for await (const _ of checked(inChunks(bytes, size), { ...SOURCE_LIMITS, ...limits }));
    return 'taken';
  } catch (error) {
    if (error instanceof SourceRejected) return error;
    throw error;
  }
}
/** Checks that the tar and the same tar zipped get one verdict. */
async function refused(bytes: Uint8Array, limits: Partial<SourceLimits> = {}): Promise<SourceRejected> {
  const [plain, zipped] = [await verdict(bytes, limits), await verdict(gzipSync(bytes), limits)];
  if (plain === 'taken' || zipped === 'taken') throw new Error('it was taken');
  expect(zipped.message).toBe(plain.message);
  return plain;
}
/** Overwrites a field of the header at `at`, and mends its checksum. */
function patched(bytes: Buffer, field: number, text: string, at = 0): Buffer {
  const copy = Buffer.from(bytes);
  copy.write(text, at + field, 'latin1');
  copy.fill(' ', at + 148, at + 156);
  let sum = 0;
  for (const byte of copy.subarray(at, at + 512)) sum += byte;
  copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148, 'latin1');
  return copy;
}

describe('accepted archives', () => {
  test('files and directories, with "." and without, as tar and as tar.gz, are stored unchanged', async () => {
    const store = await ArtifactStore.open(dir, { maxBytes: 10_000_000, minFreeBytes: 0 });
    const bytes = await tar(
      entry('./', 'directory'),
      entry('./src/', 'directory'),
      file('./src/index.js', 'console.log(1)'),
      file('src/routes/-components/a.tsx'),
      entry('src/', 'directory'),
      file(`${'long/'.repeat(40)}name.txt`),
      file('ünïcode/日本.txt'),
    );
    for (const sent of [bytes, gzipSync(bytes)]) {
      const stored = await storeSource(store, inChunks(sent, 700));
      const digest = `sha256:${createHash('sha256').update(sent).digest('hex')}`;
      expect(stored).toEqual({ digest, size: sent.length });
      expect(await store.has(digest)).toBe(true);
    }
  });

  test.each(['gnu', 'ustar', 'pax', 'v7', 'oldgnu'])(
    'an archive that GNU tar writes as %s is accepted',
    async (format) => {
      const source = join(dir, 'app');
      const deep = format === 'v7' ? 'd' : 'directory-of-some-length/'.repeat(6);
      mkdirSync(join(source, deep), { recursive: true });
      writeFileSync(join(source, deep, 'f.txt'), 'f');
      writeFileSync(join(source, 'empty'), '');
      const bytes = execFileSync('tar', ['-c', `--format=${format}`, '-C', source, '.']);
      expect(await verdict(bytes)).toBe('taken');
      expect(await verdict(gzipSync(bytes))).toBe('taken');
    },
  );

  test('an archive that arrives in pieces of any size is accepted', async () => {
    const bytes = await tar(file('a', 'a'.repeat(3000)), file('b'.repeat(150)));
    for (const size of [1, 2, 511, 512, 513, 5000]) {
      expect(await verdict(bytes, {}, size)).toBe('taken');
      expect(await verdict(gzipSync(bytes), {}, size)).toBe('taken');
    }
  });
});

describe('entries that are refused, each by its rule (F93, F94, F95, F97)', () => {
  const named: [string, SourceRule][] = [
    ['../evil', 'leaves_the_archive'],
    ['a/../../evil', 'leaves_the_archive'],
    ['a/..', 'leaves_the_archive'],
    ['/etc/passwd', 'absolute_path'],
    ['C:/windows', 'absolute_path'],
    ['a\\..\\evil', 'unsafe_name'],
    ['new\nline', 'unsafe_name'],
    ['esc\u001b[2J', 'unsafe_name'],
    ['-rf', 'unsafe_name'],
    ['./-rf', 'unsafe_name'],
    ['', 'unsafe_name'],
    [`${'a/'.repeat(65)}f`, 'path_too_deep'],
    [`${'abc/'.repeat(300)}f`, 'path_too_long'],
    ['n'.repeat(256), 'path_too_long'],
  ];
  test.each(named)('%j', async (name, rule) => {
    const error = await refused(await tar(file('fine'), file(name)));
    expect(error).toMatchObject({ rule, entry: name });
    expect(error.message).not.toMatch(/\p{Cc}/u);
  });

  const typed: [TarHeader['type'], SourceRule][] = [
    ['link', 'link'],
    ['character-device', 'special_file'],
    ['block-device', 'special_file'],
    ['fifo', 'special_file'],
  ];
  test.each(typed)('%s', async (type, rule) => {
    const error = await refused(await tar(file('fine'), entry('odd', type, { linkname: 'fine' })));
    expect(error).toMatchObject({ rule, entry: 'odd' });
    expect(error.message).toContain('"odd"');
  });

  const link = (name: string, linkname: string) => entry(name, 'symlink', { linkname });
  const leaving: [string, PackedEntry[]][] = [
    ['an absolute link', [link('odd', '/etc/passwd')]],
    ['a link above the root', [link('d/odd', '../../etc')]],
    ['a link to the parent', [link('odd', '..')]],
    ['a link to nothing', [link('odd', '')]],
    ['a link with a control character', [link('odd', 'a\nb')]],
    ['a link that leads out through another', [link('d/e', '..'), link('odd', 'd/e/..')]],
    ['a link that leads out through a later one', [link('odd', 'd/e/..'), link('d/e', '..')]],
    ['a link that leads out through one of another case', [link('d/e', '..'), link('odd', 'D/E/..')]],
  ];
  test.each(leaving)('%s (F94)', async (_, entries) => {
    const error = await refused(await tar(file('d/fine'), ...entries));
    expect(error).toMatchObject({ rule: 'link' });
    expect(error.message).toContain('odd');
  });

  test('links that stay inside are accepted; nothing is written through them (F94)', async () => {
    const inside = [
      link('d/l', 'fine'),
      link('up', 'd/../d/fine'),
      link('gone', 'not/there'),
      link('o', 'o'),
    ];
    expect(await verdict(await tar(file('d/fine'), ...inside))).toBe('taken');
    expect(await verdict(await tar(file('d/fine'), link('e', 'd'), link('f', 'e/../d')))).toBe('taken');
    const through = await refused(await tar(link('e', 'd'), file('e/a')));
    expect(through).toMatchObject({ rule: 'link', entry: 'e/a' });
    expect(through.message).toMatch(/written through .*symbolic link/);
    const below = await refused(await tar(file('e'), file('e/a')));
    expect(below.message, 'and of a file it says so').toMatch(/below what is a file/);
    expect(await refused(await tar(file('a'), link('a', 'b')))).toMatchObject({ rule: 'name_taken' });
  });

  test('setuid and setgid files are refused', async () => {
    for (const mode of [0o4755, 0o2755]) {
      expect(await refused(await tar(file('su', 'x', { mode })))).toMatchObject({
        rule: 'setuid',
        entry: 'su',
      });
    }
    expect(await verdict(await tar(entry('shared', 'directory', { mode: 0o2775 }), file('f')))).toBe('taken');
  });

  const twice: [string, PackedEntry[]][] = [
    ['the same file', [file('a'), file('a')]],
    ['spelled otherwise', [file('a/b'), file('./a//b')]],
    ['another case', [file('README'), file('readme')]],
    ['directories of another case', [file('Src/a'), file('src/b')]],
    ['ß and ss', [file('straße'), file('STRASSE')]],
    ['composed and decomposed', [file('caf\u00e9'), file('cafe\u0301')]],
    ['a file below a file', [file('a'), file('a/b')]],
    ['a file in the place of a directory', [file('a/b'), file('a')]],
    ['a directory in the place of a file', [file('a'), entry('a', 'directory')]],
  ];
  test.each(twice)('%s', async (_, entries) => {
    expect(await refused(await tar(...entries))).toMatchObject({ rule: 'name_taken' });
  });

  test('a name that is not UTF-8 is refused', async () => {
    const bytes = patched(await tar(file('abcd')), 0, 'ab\xff\xfe');
    expect(await refused(bytes)).toMatchObject({ rule: 'unsafe_name' });
  });

  test('unsafe links, sparse files and setuid files are refused as GNU tar writes them', async () => {
    const source = join(dir, 'app');
    mkdirSync(source);
    const pack = (name: string, ...args: string[]) =>
      execFileSync('tar', ['-c', ...args, '-C', source, ...name.split(' ')]);
    writeFileSync(join(source, 'f'), 'f');
    symlinkSync('/etc/passwd', join(source, 'soft'));
    expect(await refused(pack('soft'))).toMatchObject({ rule: 'link', entry: 'soft' });
    linkSync(join(source, 'f'), join(source, 'hard'));
    expect(await refused(pack('f hard'))).toMatchObject({ rule: 'link', entry: 'hard' });
    writeFileSync(join(source, 'su'), 'x');
    chmodSync(join(source, 'su'), 0o4755);
    expect(await refused(pack('su'))).toMatchObject({ rule: 'setuid', entry: 'su' });
    execFileSync('truncate', ['-s', '1M', join(source, 'holes')]);
    expect(await refused(pack('holes', '--sparse', '--format=gnu'))).toMatchObject({ rule: 'special_file' });
    expect(await refused(pack('holes', '--sparse', '--format=pax'))).toMatchObject({ rule: 'special_file' });
  });
});

describe('archives over a limit (F96)', () => {
  test('too many entries are refused, also directories that only paths name', async () => {
    const error = await refused(await tar(file('a'), file('b'), file('c')), { maxEntries: 2 });
    expect(error).toMatchObject({ rule: 'too_many_entries', entry: 'c', code: 'too_large' });
    expect(await refused(await tar(file('1/2/3/4')), { maxEntries: 3 })).toMatchObject({
      rule: 'too_many_entries',
    });
  });

  test('one file that is too large is refused by its header, before its bytes', async () => {
    const bytes = patched(await tar(file('big')), 124, '77777777777\0');
    const error = await refused(bytes, { maxFileBytes: 1000 });
    expect(error).toMatchObject({ rule: 'file_too_large', entry: 'big', code: 'too_large' });
  });

  test('an archive that is too large is refused, packed or unpacked', async () => {
    const sent = await tar(file('a', 'a'.repeat(5000)));
    const tooLong = await verdict(sent, { maxBytes: 4000 });
    expect(tooLong).toMatchObject({ rule: 'too_large', code: 'too_large' });
    expect(await verdict(gzipSync(sent), { maxBytes: 4000 })).toBe('taken');
    const error = await refused(await tar(file('a', 'a'.repeat(5000))), { maxUnpackedBytes: 4000 });
    expect(error).toMatchObject({ rule: 'too_large_unpacked', code: 'too_large' });
  });

  test('a bomb is refused', async () => {
    const bomb = gzipSync(await tar(file('zeros', '\0'.repeat(20 * 1024 * 1024))));
    const error = await verdict(bomb, {}, bomb.length);
    expect(error).toMatchObject({ rule: 'compressed_too_well', code: 'too_large' });
    expect(await verdict(bomb, { maxRatio: 2000 }, bomb.length)).toBe('taken');
  });

  test('a bomb is unpacked no further than to where it is refused', async () => {
    let pieces = 0;
    const gunzipped = new Gunzipped(() => {
      pieces += 1;
      if (pieces === 2) throw new Error('enough');
    });
    await expect(gunzipped.write(gzipSync(Buffer.alloc(8 * 1024 * 1024)))).rejects.toThrow('enough');
    await expect(gunzipped.end()).rejects.toThrow('enough');
    expect(pieces).toBe(2);
  });

  test('endless attributes are refused', async () => {
    const bytes = await tar(file('a', 'x', { pax: { comment: 'c'.repeat(1024 * 1024) } }));
    expect(await refused(bytes)).toMatchObject({ rule: 'damaged' });
  });
});

describe('damaged archives (F98)', () => {
  test('other bytes, or none, are refused', async () => {
    for (const bytes of ['', 'x', 'hello', 'PK\x03\x04'.repeat(500), 'a'.repeat(512), 'a'.repeat(5000)]) {
      expect(await verdict(Buffer.from(bytes))).toMatchObject({ rule: 'not_an_archive' });
    }
    expect(await verdict(gzipSync('hello'))).toMatchObject({ rule: 'not_an_archive' });
    expect(await refused(Buffer.alloc(10_240))).toMatchObject({ rule: 'nothing_inside' });
    expect(await refused(await tar(entry('only/', 'directory')))).toMatchObject({ rule: 'nothing_inside' });
  });

  test('an archive that is cut off anywhere is refused', async () => {
    const bytes = await tar(file('a', 'a'.repeat(700)), file('b'));
    for (const length of [512, 600, 1024, 1536, 1600, 2048, bytes.length - 513]) {
      expect(await verdict(bytes.subarray(0, length)), String(length)).toMatchObject({ rule: 'truncated' });
    }
    const zipped = gzipSync(bytes);
    for (const length of [2, 10, zipped.length - 9, zipped.length - 1]) {
      expect(await verdict(zipped.subarray(0, length)), String(length)).toMatchObject({ rule: 'truncated' });
    }
  });

  test('a wrong checksum and bytes after the end are refused, of the tar and of the zip', async () => {
    const bytes = await tar(file('a'), file('b'));
    const flipped = Buffer.from(bytes);
    flipped[1024 + 5] = 0x41;
    expect(await refused(flipped)).toMatchObject({ rule: 'damaged' });
    expect(await refused(Buffer.concat([bytes, bytes]))).toMatchObject({ rule: 'damaged' });
    const zipped = gzipSync(bytes);
    expect(await verdict(Buffer.concat([zipped, Buffer.from('more')]))).toMatchObject({ rule: 'damaged' });
    const hidden = Buffer.concat([zipped, Buffer.alloc(10), zipped]);
    for (const size of [1000, zipped.length]) {
      expect(await verdict(hidden, {}, size)).toMatchObject({ rule: 'damaged' });
    }
    zipped[zipped.length - 7] = (zipped[zipped.length - 7] ?? 0) ^ 1;
    expect(await verdict(zipped)).toMatchObject({ rule: 'damaged' });
  });

  test('an entry with two sizes or two names, or one name for all, is refused', async () => {
    const twoSizes = await tar(file('a', 'x'.repeat(100), { pax: { size: '100' } }));
    expect(await verdict(twoSizes)).toBe('taken');
    expect(await refused(patched(twoSizes, 124, '00000001000\0', 1024))).toMatchObject({
      rule: 'damaged',
      entry: 'a',
    });
    const global = await tar(entry('g', 'pax-global-header' as TarHeader['type']), file('a'));
    const records = Buffer.alloc(512);
    records.write('14 path=other\n');
    const head = patched(global.subarray(0, 512), 124, '00000000016\0');
    const forAll = Buffer.concat([head, records, global.subarray(512)]);
    expect(await refused(forAll)).toMatchObject({ rule: 'damaged' });
    expect(
      await refused(patched(await tar(entry('d/', 'directory'), file('f')), 124, '00000001000\0')),
    ).toMatchObject({
      rule: 'damaged',
      entry: 'd/',
    });
  });

  test('an entry that is described twice, or a description without an entry, is refused', async () => {
    const described = (flag: string, body: string) => async () => {
      const bytes = patched(await tar(file('meta', body)), 156, flag);
      return bytes.subarray(0, 1024);
    };
    const pax = described('x', '11 path=ab\n');
    const long = described('L', 'another name\0');
    const rest = await tar(file('a'));
    const of = async (...parts: (() => Promise<Buffer>)[]) =>
      Buffer.concat([...(await Promise.all(parts.map((part) => part()))), rest]);
    expect(await verdict(await of(pax))).toBe('taken');
    expect(await verdict(await of(long))).toBe('taken');
    for (const twice of [
      await of(pax, long),
      await of(long, pax),
      await of(pax, pax),
      await of(long, long),
    ]) {
      expect(await refused(twice)).toMatchObject({ rule: 'damaged' });
    }
    for (const none of [pax, long]) {
      const bytes = Buffer.concat([rest.subarray(0, 1024), await none(), rest.subarray(1024)]);
      expect(await refused(bytes)).toMatchObject({ rule: 'damaged' });
    }
    expect(await refused(await of(described('x', '99 path=ab\n')))).toMatchObject({ rule: 'damaged' });
    expect(await refused(await of(described('x', 'path=ab\n')))).toMatchObject({ rule: 'damaged' });
  });

  test('an empty block between entries is refused', async () => {
    const [one, two] = [await tar(file('a')), await tar(file('b'))];
    const bytes = Buffer.concat([one.subarray(0, 1024 + 512), two]);
    expect(await refused(bytes)).toMatchObject({ rule: 'damaged' });
  });

  test('a refused archive leaves nothing in the store', async () => {
    const store = await ArtifactStore.open(dir, { maxBytes: 10_000_000, minFreeBytes: 0 });
    const bytes = await tar(file('fine', 'x'.repeat(100_000)), file('../evil'));
    for (const sent of [bytes, gzipSync(bytes)]) {
      await expect(storeSource(store, inChunks(sent))).rejects.toThrow('"../evil" leaves the archive');
    }
    expect(readdirSync(join(dir, 'tmp'))).toEqual([]);
    for await (const { digest } of store.digests()) expect.unreachable(digest);
  });
});

test('modern-tar reads the same names, sizes and kinds from every accepted archive', async () => {
  const base = await tar(
    entry('src/', 'directory'),
    file('src/a.txt', 'a'.repeat(600)),
    file('p'.repeat(120), 'long'),
    file('b', 'b', { pax: { comment: 'c' } }),
  );
  const flips = fc.array(fc.tuple(fc.nat(base.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(flips, fc.boolean(), async (changes, mend) => {
      let bytes: Buffer = Buffer.from(base);
      for (const [at, value] of changes) {
        bytes[at] = value;
        // A corrected checksum lets a changed header through to its own rule.
        if (mend) bytes = patched(bytes, 0, '', at - (at % 512));
      }
      const entriesRead: string[] = [];
      try {
        const reader = new TarReader(({ name, flag, size }) => entriesRead.push(`${name} ${size} ${flag}`));
        reader.push(bytes);
        reader.end();
      } catch {
        return;
      }
      if (!entriesRead.every((text) => /[05]$/.test(text))) return;
      taken += 1;
      const unpacked = await unpackTar(bytes, { strict: true });
      const theirs = unpacked.map(
        ({ header, data }) => `${header.name} ${data?.length ?? 0} ${header.type === 'directory' ? 5 : 0}`,
      );
      expect(theirs).toEqual(entriesRead);
    }),
    { numRuns: 1500 },
  );
  expect(taken).toBeGreaterThan(100);
});

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PLANTED } from '../../test/redact/planted.ts';
import { NoSpace } from '../artifact/storage-errors.ts';
import { SecretValues } from '../redact/secret-values.ts';
import type { LogItem } from './log-item.ts';
import type { LogLine, LogQuery } from './log-line.ts';
import { LOG_LIMITS, type LogOptions, LogStore } from './log-store.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-logs-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const AT = '2026-11-15T09:00:00.000Z';
const open = (options: Partial<LogOptions> = {}) =>
  LogStore.open(dir, { limits: { ...LOG_LIMITS, minFreeBytes: 0 }, ...options });
const small = (maxStreamBytes: number) =>
  open({ limits: { ...LOG_LIMITS, maxStreamBytes, minFreeBytes: 0 } });
const item = (seq: number, more: Partial<LogItem> = {}): LogItem => ({
  service: 'web@lab',
  revision: 1,
  attempt: 1,
  stream: 'run',
  instance: 'i1',
  seq: String(seq),
  at: AT,
  line: `line ${seq}`,
  ...more,
});
const items = (from: number, to: number, more: Partial<LogItem> = {}) =>
  Array.from({ length: to - from + 1 }, (_, n) => item(from + n, more));
const query = (more: Partial<LogQuery> = {}): LogQuery => ({
  service: 'web@lab',
  stream: 'run',
  tail: 200,
  ...more,
});
const texts = (lines: readonly LogLine[]) => lines.map(({ line }) => line);
const attemptDir = (attempt = 'r1-a1') => join(dir, 'acme', 'web@lab', attempt);
const bytesOf = (path: string) =>
  readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);

describe('append and read', () => {
  test('returns the newest lines as they were sent, the oldest first', async () => {
    const store = await open();
    expect(await store.append('acme', items(1, 5))).toBe(5);
    expect(await store.append('acme', [item(6, { seq: 6 })])).toBe(1);
    expect(await store.read('acme', query({ tail: 2 }))).toEqual([
      {
        service: 'web@lab',
        revision: 1,
        attempt: 1,
        stream: 'run',
        instance: 'i1',
        command: null,
        fence: null,
        epoch: null,
        seq: '5',
        at: AT,
        line: 'line 5',
      },
      {
        service: 'web@lab',
        revision: 1,
        attempt: 1,
        stream: 'run',
        instance: 'i1',
        command: null,
        fence: null,
        epoch: null,
        seq: '6',
        at: AT,
        line: 'line 6',
      },
    ]);
    expect(await store.read('acme', query({ tail: 0 }))).toEqual([]);
    expect(await store.read('acme', query({ stream: 'build' }))).toEqual([]);
    expect(await store.read('acme', query({ service: 'api@lab' }))).toEqual([]);
  });

  test('an org never reads another (S13), however it is named', async () => {
    const store = await open();
    await store.append('acme', [item(1)]);
    for (const org of ['ACME', 'acme/', '../acme', 'acme/../acme', '', '.', 'acm']) {
      expect(await store.read(org, query())).toEqual([]);
      await store.append(org, [item(1, { line: `of ${org}` })]);
      expect(texts(await store.read(org, query()))).toEqual([`of ${org}`]);
    }
    expect(texts(await store.read('acme', query()))).toEqual(['line 1']);
    expect(readdirSync(join(dir, '..')).filter((name) => name === 'acme')).toEqual([]);
  });

  test('reads by revision, attempt and instance; by default the newest that has lines', async () => {
    const store = await open();
    await store.append('acme', [
      item(1, { revision: 2, attempt: 1, line: 'r2 a1' }),
      item(1, { revision: 2, attempt: 2, line: 'r2 a2' }),
      item(1, { revision: 10, attempt: 1, line: 'r10 a1' }),
      item(1, { revision: 10, attempt: 1, instance: 'i2', line: 'r10 a1 i2' }),
      item(1, { revision: 11, attempt: 1, stream: 'build', instance: null, line: 'building r11' }),
    ]);
    expect(texts(await store.read('acme', query()))).toEqual(['r10 a1', 'r10 a1 i2']);
    expect(texts(await store.read('acme', query({ instance: 'i2' })))).toEqual(['r10 a1 i2']);
    expect(texts(await store.read('acme', query({ revision: 2 })))).toEqual(['r2 a2']);
    expect(texts(await store.read('acme', query({ revision: 2, attempt: 1 })))).toEqual(['r2 a1']);
    expect(texts(await store.read('acme', query({ revision: 3 })))).toEqual([]);
    expect(texts(await store.read('acme', query({ stream: 'build' })))).toEqual(['building r11']);
  });

  test('a repeated line is stored once, also after a restart; from another sender it is another line', async () => {
    const store = await open();
    expect(await store.append('acme', items(1, 3))).toBe(3);
    expect(await store.append('acme', items(2, 4))).toBe(1);
    expect(await store.append('acme', [item(1, { instance: 'i2' })])).toBe(1);
    expect(await store.append('acme', [item(1, { epoch: '2' })])).toBe(1);
    const again = await open();
    expect(
      await again.append('acme', [...items(3, 5), item(1, { instance: 'i2' }), item(1, { epoch: '2' })]),
    ).toBe(1);
    expect((await again.read('acme', query())).map(({ instance, seq }) => `${instance} ${seq}`)).toEqual([
      'i1 1',
      'i1 2',
      'i1 3',
      'i1 4',
      'i2 1',
      'i1 1',
      'i1 5',
    ]);
  });

  test('a builder that takes over begins its own count', async () => {
    const store = await open();
    const build = { stream: 'build', instance: null } as const;
    await store.append('acme', [item(1, { ...build, fence: '1', line: 'first try' })]);
    await store.append('acme', [item(1, { ...build, fence: '2', line: 'second try' })]);
    expect(texts(await store.read('acme', query({ stream: 'build' })))).toEqual(['first try', 'second try']);
  });

  test('an invalid time becomes the time of receipt', async () => {
    const store = await open({ now: () => Date.parse(AT) });
    await store.append('acme', [item(1, { at: 'yesterday' })]);
    expect((await store.read('acme', query()))[0]?.at).toBe(AT);
  });
});

test('a large batch yields to others in between (F92)', async () => {
  let redacted = 0;
  class Counting extends SecretValues {
    override replaceIn(text: string): string {
      redacted += 1;
      return text;
    }
  }
  const store = await open({ secretsOf: async () => new Counting([]) });
  const redactedAtTurns = new Set<number>();
  const turn = () => {
    redactedAtTurns.add(redacted);
    if (redacted < 1000) setImmediate(turn);
  };
  setImmediate(turn);
  await store.append('acme', items(1, 1000, { line: 'https://x.example/?token=abcdefgh '.repeat(100) }));
  expect([...redactedAtTurns].filter((lines) => lines > 0 && lines < 1000).length).toBeGreaterThan(0);
});

describe('stored lines are harmless', () => {
  test('no planted secret reaches a file, in whichever piece it came', async () => {
    const store = await open();
    const lines = PLANTED.flatMap(([, text]) => text.split('\n'));
    await store.append(
      'acme',
      lines.map((line, n) => item(n, { line })),
    );
    const kept = readFileSync(join(attemptDir(), 'run.ndjson'), 'utf8');
    for (const [what, , secret] of PLANTED) {
      for (const line of secret.split('\n'))
        if (!line.startsWith('-----')) expect(kept, what).not.toContain(line);
    }
  });

  test('secrets of the service’s own spec are redacted', async () => {
    const secretsOf = async (org: string, service: string) => new SecretValues([`${org} ${service} secret`]);
    const store = await open({ secretsOf });
    await store.append('acme', [item(1, { line: 'it is acme web@lab secret!' })]);
    expect(texts(await store.read('acme', query()))).toEqual(['it is [redacted value]!']);
  });

  test('a long line is cut, control characters are replaced (F89, F90)', async () => {
    const store = await open();
    await store.append('acme', [
      item(1, { line: 'x'.repeat(100_000) }),
      item(2, { line: '\u001b[31mred\0\n' }),
    ]);
    const [long, strange] = texts(await store.read('acme', query()));
    expect(long).toBe(`${'x'.repeat(16_384)} [cut: ${100_000 - 16_384} more bytes]`);
    expect(strange).toBe('red');
  });
});

describe('the limit of an attempt', () => {
  test('keeps the newest lines of a run, and marks that others are missing', async () => {
    const store = await small(20_000);
    for (let from = 1; from <= 2000; from += 100) await store.append('acme', items(from, from + 99));
    expect(bytesOf(attemptDir())).toBeLessThanOrEqual(20_000);
    const lines = await store.read('acme', query({ tail: 10_000 }));
    expect(lines[0]).toMatchObject({ notice: true, seq: lines[1]?.seq });
    const numbers = lines.slice(1).map(({ seq }) => Number(seq));
    // All of 2,000 lines that are not there were dropped, and are counted (F121).
    expect(lines[0]?.line).toContain(
      `${(2_000 - numbers.length).toLocaleString('en-US')} lines were dropped here`,
    );
    expect(numbers.at(-1)).toBe(2000);
    expect(numbers.length).toBeGreaterThan(50);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => 2001 - numbers.length + n));
    expect(texts(await store.read('acme', query({ tail: 3 })))).toEqual([
      'line 1998',
      'line 1999',
      'line 2000',
    ]);
  });

  test('keeps the first and the last lines of a build, with a mark in between', async () => {
    const store = await small(20_000);
    for (let from = 1; from <= 2000; from += 100) {
      await store.append('acme', items(from, from + 99, { stream: 'build', instance: null }));
    }
    expect(bytesOf(attemptDir())).toBeLessThanOrEqual(20_000);
    const lines = await store.read('acme', query({ stream: 'build', tail: 10_000 }));
    expect(lines[0]).toMatchObject({ line: 'line 1' });
    expect(lines.at(-1)).toMatchObject({ line: 'line 2000' });
    const notices = lines.filter(({ notice }) => notice);
    expect(notices).toHaveLength(1);
    expect(lines.findIndex(({ notice }) => notice)).toBeGreaterThan(30);
  });

  test('continues in the same files after a restart', async () => {
    await (await small(20_000)).append('acme', items(1, 300));
    const again = await small(20_000);
    await again.append('acme', items(301, 320));
    expect(bytesOf(attemptDir())).toBeLessThanOrEqual(20_000);
    expect(texts(await again.read('acme', query({ tail: 21 })))).toEqual(
      Array.from({ length: 21 }, (_, n) => `line ${300 + n}`),
    );
  });
});

describe('crashes and full disks (F48)', () => {
  test('half a line that a crash left is skipped, and damages no other', async () => {
    await (await open()).append('acme', [item(1)]);
    appendFileSync(join(attemptDir(), 'run.ndjson'), '{"at":"2026-11-15T09:00:00.000Z","line":"hal');
    const again = await open();
    expect(texts(await again.read('acme', query()))).toEqual(['line 1']);
    await again.append('acme', [item(2)]);
    expect(texts(await again.read('acme', query()))).toEqual(['line 1', 'line 2']);
  });

  test('without space nothing is accepted; lines sent again afterwards are', async () => {
    let free = 0;
    const limits = { ...LOG_LIMITS, minFreeBytes: 100 };
    const store = await open({ limits, freeBytes: async () => free });
    await expect(store.append('acme', [item(1)])).rejects.toThrow(NoSpace);
    free = 100;
    expect(await store.append('acme', [item(1)])).toBe(1);
    expect(texts(await store.read('acme', query()))).toEqual(['line 1']);
  });

  test('a disk that fills up during a write keeps nothing of the batch', async () => {
    mkdirSync(attemptDir(), { recursive: true });
    symlinkSync('/dev/full', join(attemptDir(), 'run.ndjson'));
    const store = await open();
    const sent: string[] = [];
    await store.follow('acme', query({ revision: 1, attempt: 1 }), ({ line }) => sent.push(line));
    await expect(store.append('acme', items(1, 2))).rejects.toThrow(NoSpace);
    expect(sent).toEqual([]);
    rmSync(join(attemptDir(), 'run.ndjson'));
    expect(await store.append('acme', items(1, 2))).toBe(2);
    expect(sent).toEqual(['line 1', 'line 2']);
  });
});

describe('follow', () => {
  test('sends stored lines, then new ones, until it is stopped', async () => {
    const store = await open();
    await store.append('acme', items(1, 5));
    const sent: string[] = [];
    const stop = await store.follow('acme', query({ tail: 2 }), ({ line }) => sent.push(line));
    expect(sent).toEqual(['line 4', 'line 5']);
    await store.append('acme', items(5, 6));
    await store.append('other', [item(7)]);
    await store.append('acme', [item(1, { service: 'api@lab' }), item(1, { stream: 'build' })]);
    stop();
    await store.append('acme', [item(8)]);
    expect(sent).toEqual(['line 4', 'line 5', 'line 6']);
  });

  test('lines written while it begins are sent once, and in order', async () => {
    const store = await open();
    await store.append('acme', items(1, 50));
    const sent: string[] = [];
    const writing = Array.from({ length: 20 }, (_, n) =>
      store.append('acme', items(51 + n * 10, 60 + n * 10)),
    );
    const following = store.follow('acme', query({ tail: 10_000 }), ({ line }) => sent.push(line));
    writing.push(store.append('acme', items(251, 260)));
    await Promise.all([following, ...writing]);
    expect(sent).toEqual(Array.from({ length: 260 }, (_, n) => `line ${n + 1}`));
  });

  test('begins before there is any line, and continues with the next attempt, never back', async () => {
    const store = await open();
    const sent: string[] = [];
    const of = (attempt: number, seq: number) => item(seq, { attempt, line: `a${attempt} ${seq}` });
    await store.follow('acme', query(), ({ line }) => sent.push(line));
    await store.append('acme', [of(1, 1)]);
    await store.append('acme', [of(2, 1)]);
    await store.append('acme', [of(1, 2)]);
    await store.append('acme', [of(2, 2)]);
    expect(sent).toEqual(['a1 1', 'a2 1', 'a2 2']);
  });

  test('sends lines that another server writes into the same files, each once and none from before', async () => {
    const [here, there] = [await open({ isShared: true }), await open({ isShared: true })];
    await there.append('acme', items(1, 5));
    const sent: string[] = [];
    const stop = await here.follow('acme', query({ tail: 2 }), ({ line }) => sent.push(line));
    await there.append('acme', items(6, 7));
    await here.append('acme', [item(1, { instance: 'i2', line: 'here' })]);
    await vi.waitFor(() => expect(sent).toHaveLength(5), 5_000);
    await there.append('acme', [item(8)]);
    await vi.waitFor(() => expect(sent).toContain('line 8'), 5_000);
    stop();
    expect(sent.toSorted()).toEqual(['here', 'line 4', 'line 5', 'line 6', 'line 7', 'line 8']);
  });

  test('a line that one server stored is not stored again by another, and both keep one limit', async () => {
    const limits = { ...LOG_LIMITS, maxStreamBytes: 30_000 };
    const [here, there] = [await open({ isShared: true, limits }), await open({ isShared: true, limits })];
    const lines = async () => (await here.read('acme', query())).map(({ line }) => line);
    expect(await there.append('acme', items(1, 3))).toBe(3);
    expect(await here.append('acme', items(1, 4)), 'after the other one died').toBe(1);
    expect(await there.append('acme', items(1, 4))).toBe(0);
    expect(await lines()).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
    // At the same moment neither server can see the other's write.
    await Promise.all([here.append('acme', [item(5)]), there.append('acme', [item(5)])]);
    expect((await lines()).filter((line) => line === 'line 5')).toHaveLength(1);
    for (let n = 6; n < 400; n++) await (n % 2 ? here : there).append('acme', [item(n)]);
    const kept = JSON.stringify(await here.read('acme', query({ tail: 10_000 }))).length;
    expect(kept).toBeLessThan(2 * limits.maxStreamBytes);
  });

  test('sends one instance of one attempt only', async () => {
    const store = await open();
    const sent: string[] = [];
    const only = query({ revision: 1, attempt: 1, instance: 'i2' });
    await store.follow('acme', only, ({ line }) => sent.push(line));
    await store.append('acme', [
      item(1),
      item(2, { instance: 'i2' }),
      item(3, { instance: 'i2', attempt: 2 }),
    ]);
    expect(sent).toEqual(['line 2']);
  });

  test('a listener that fails is sent no more, and does not affect others', async () => {
    const store = await open();
    const sent: string[] = [];
    let calls = 0;
    await store.follow('acme', query(), () => {
      calls += 1;
      throw new Error('gone');
    });
    await store.follow('acme', query(), ({ line }) => sent.push(line));
    expect(await store.append('acme', items(1, 2))).toBe(2);
    expect(sent).toEqual(['line 1', 'line 2']);
    expect(calls).toBe(1);
  });
});

test('an attempt is moved with its files, and no other', async () => {
  const store = await open();
  await store.append('acme', [item(1), item(1, { stream: 'build' }), item(1, { attempt: 2 })]);
  expect(await store.attempts('acme', 'web@lab')).toEqual([
    { revision: 1, attempt: 2 },
    { revision: 1, attempt: 1 },
  ]);
  const elsewhere = attemptDir('elsewhere');
  await store.handOver('acme', 'web@lab', { revision: 1, attempt: 1 }, (from) => rename(from, elsewhere));
  expect(readdirSync(elsewhere)).toEqual(['build.ndjson', 'run.ndjson']);
  expect(existsSync(attemptDir('r1-a1'))).toBe(false);
  expect(await store.attempts('acme', 'web@lab')).toEqual([{ revision: 1, attempt: 2 }]);
  expect(await store.append('acme', [item(1)])).toBe(1);
});

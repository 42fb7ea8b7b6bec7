import { expect, it } from 'vitest';
import { type Client, ProblemAnswer } from '../client/client.ts';
import { OutageLog } from '../client/persist.ts';
import type { Runtime } from '../runtime/port.ts';
import type { Registration } from './registration.ts';
import { Reporter } from './reporter.ts';

const SERVICE = 'web@lab';
const WINDOW_MS = 50;

interface Sent {
  readonly seq: string;
  readonly heard: string;
  readonly heardAgoMs: number;
  readonly watchAgeMs: number;
}

/** The latest and the earliest that a server may take for the instant that a report is about. */
const latest = ({ heard, heardAgoMs }: Sent) => Date.parse(heard) + heardAgoMs;
const earliest = (sent: Sent) => latest(sent) - sent.watchAgeMs;

const outlasts = (sent: Sent, first: Sent) => earliest(sent) - latest(first) >= WINDOW_MS;

/**
 * Reports of a service that does not change, until one outlasts the window of the first; the next full one is an hour
 * away. The server's answers are so late, each in turn.
 */
async function reports(lateMs: readonly number[]): Promise<Sent[]> {
  const stop = new AbortController();
  const sent: Sent[] = [];
  const nowLate = (ms: number) => new Date(Date.now() - ms).toISOString();
  const registered = {
    ...{ epoch: '1', instance: 'i', reportEveryMs: 3_600_000, freshForMs: 3_600_000 },
    heard: { now: nowLate(0), at: performance.now() },
  };
  const runtime = {
    pace: () => {},
    look: async () => {},
    onChange: () => () => {},
    observe: () => ({
      instances: [],
      services: [{ service: SERVICE }],
      watchAgeMs: 0,
      stabilityMs: new Map([[SERVICE, WINDOW_MS]]),
    }),
  };
  const client = {
    call: async (_: string, __: string, body: Sent) => {
      sent.push(body);
      if (outlasts(body, sent[0] ?? body)) stop.abort();
      const late = lateMs[sent.length - 1] ?? 0;
      return { seq: body.seq, now: nowLate(late), resync: false, rejected: [] };
    },
  };
  const reporter = new Reporter(
    client as unknown as Client,
    runtime as unknown as Runtime,
    { current: async () => registered } as unknown as Registration,
    'lab',
    { signal: stop.signal, outages: new OutageLog(() => {}), say: () => {} },
  );
  await reporter.run();
  return sent;
}

it('shows a service again when its window has passed', async () => {
  expect((await reports([])).length).toBeGreaterThan(1);
});

it('does not take a window for shown that a late answer makes too short, but shows it once more, soon', async () => {
  const [first, second, ...more] = (await reports([200])) as [Sent, Sent, ...Sent[]];
  expect(outlasts(second, first)).toBe(false);
  expect(more.length).toBeGreaterThan(0);
});

it('asks a server for its time that no longer knows of the one it told, and goes on (ADR 11)', async () => {
  const stop = new AbortController();
  const heard = (now: string) => ({ now, at: performance.now() });
  const registered = { epoch: '1', instance: 'i', reportEveryMs: 1, freshForMs: 1_000 };
  const [before, after] = ['2026-11-16T04:00:00.000Z', '2026-11-16T03:00:00.000Z'] as const;
  const sent: Sent[] = [];
  const client = {
    call: async (_: string, __: string, body: Sent) => {
      sent.push(body);
      if (body.heard === before)
        throw new ProblemAnswer({ status: 400, code: 'invalid_request', errors: ['heard: in the future'] });
      stop.abort();
      return { seq: body.seq, now: after, resync: false, rejected: [] };
    },
  };
  const registration = {
    current: async () => ({ ...registered, heard: heard(before) }),
    hearAgain: async () => ({ ...registered, heard: heard(after) }),
  };
  const observe = () => ({ instances: [], services: [], watchAgeMs: 0, stabilityMs: new Map() });
  const runtime = { pace: () => {}, look: async () => {}, onChange: () => () => {}, observe };
  await new Reporter(
    client as unknown as Client,
    runtime as unknown as Runtime,
    registration as unknown as Registration,
    'lab',
    { signal: stop.signal, outages: new OutageLog(() => {}), say: () => {} },
  ).run();
  expect(sent.map(({ seq, heard }) => [seq, heard])).toEqual([
    ['1', before],
    ['2', after],
  ]);
});

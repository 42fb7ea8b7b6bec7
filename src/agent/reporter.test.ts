import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, ProblemAnswer } from '../client/client.ts';
import { OutageLog } from '../client/persist.ts';
import type { Runtime, ScopedObservation } from '../runtime/port.ts';
import type { Registration } from './registration.ts';
import { Reporter } from './reporter.ts';

const PATIENT = { timeout: 30_000 };
const SERVICE = 'web@lab';
const WINDOW_MS = 50;

interface Sent {
  readonly scope: string;
  readonly seq: string;
  readonly base?: string;
  readonly complete?: boolean;
  readonly unavailable?: string;
  readonly instances?: readonly { readonly uid: string }[];
  readonly changed?: { readonly instances: readonly { readonly uid: string }[] };
  readonly removed?: { readonly instances: readonly string[] };
  readonly heard: string;
  readonly heardAgoMs: number;
  readonly watchAgeMs: number;
}

const scoped = (scope: string, more: Partial<ScopedObservation> = {}): ScopedObservation => ({
  ...{ scope, complete: true, watchAgeMs: 0, instances: [], services: [], stabilityMs: new Map() },
  ...more,
});

/** The latest and the earliest instant that a server may assume for the observation of a report. */
const latest = ({ heard, heardAgoMs }: Sent) => Date.parse(heard) + heardAgoMs;
const earliest = (sent: Sent) => latest(sent) - sent.watchAgeMs;

const outlasts = (sent: Sent, first: Sent) => earliest(sent) - latest(first) >= WINDOW_MS;

/**
 * Sends reports of a service that does not change, until one outlasts the window of the first; the next full report
 * is an hour away. `lateMs` is the delay of each answer in turn.
 */
async function reports(lateMs: readonly number[]): Promise<Sent[]> {
  const stop = new AbortController();
  const sent: Sent[] = [];
  const nowLate = (ms: number) => new Date(Date.now() - ms).toISOString();
  const registered = {
    ...{ epoch: '1', instance: 'i', reportEveryMs: 3_600_000, freshForMs: 3_600_000 },
    serverTime: { now: nowLate(0), at: performance.now() },
  };
  const runtime = {
    pace: () => {},
    refresh: async () => {},
    onChange: () => () => {},
    observe: async () => [
      scoped('*', { services: [{ service: SERVICE }], stabilityMs: new Map([[SERVICE, WINDOW_MS]]) }),
    ],
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

it('the agent sends reports side by side, and nobody calls what listens to its end a leak', async () => {
  const stop = new AbortController();
  new Reporter({} as unknown as Client, {} as unknown as Runtime, {} as unknown as Registration, 'lab', {
    signal: stop.signal,
    outages: new OutageLog(() => {}),
    say: () => {},
  });
  const warned: string[] = [];
  const hear = ({ name }: Error) => warned.push(name);
  process.on('warning', hear);
  for (let call = 0; call < 20; call++) stop.signal.addEventListener('abort', () => {});
  await setImmediate();
  process.off('warning', hear);
  expect(warned).toEqual([]);
});

it('the agent reports a service again when its stability window has passed', async () => {
  expect((await reports([])).length).toBeGreaterThan(1);
});

it('a report that a late answer makes too early for the window is followed by another, soon', async () => {
  const [first, second, ...more] = (await reports([1_000])) as [Sent, Sent, ...Sent[]];
  expect(outlasts(second, first)).toBe(false);
  expect(more.length).toBeGreaterThan(0);
});

it('a report whose contact time the server rejects is sent again with the server’s new time (ADR 11)', async () => {
  const stop = new AbortController();
  const received = (now: string) => ({ now, at: performance.now() });
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
    current: async () => ({ ...registered, serverTime: received(before) }),
    receiveTimeAgain: async () => ({ ...registered, serverTime: received(after) }),
  };
  const observe = async () => [scoped('*')];
  const runtime = { pace: () => {}, refresh: async () => {}, onChange: () => () => {}, observe };
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

type SentBeats = Pick<Sent, 'heard'> & { readonly beats: readonly Sent[] };

/** A target of several scopes that the test changes, and a server that answers each report. */
class ScopedTarget {
  readonly sent: Sent[] = [];
  /** The scopes of each request with several heartbeats. */
  readonly together: (readonly string[])[] = [];
  scopes: ScopedObservation[];
  /** Replaces the answer to a report. */
  answer: (body: Sent) => object = () => ({});
  /** Answers wait for it. */
  held: Promise<void> | null = null;
  readonly #stop = new AbortController();
  #changed: () => void = () => {};
  #sent: () => void = () => {};
  readonly #reporter: Reporter;
  readonly ended: Promise<void>;

  constructor(scopes: ScopedObservation[], reportEveryMs = 3_600_000) {
    this.scopes = scopes;
    const registered = {
      ...{ epoch: '1', instance: 'i', reportEveryMs, freshForMs: 3_600_000 },
      serverTime: { now: new Date().toISOString(), at: performance.now() },
    };
    const client = {
      call: async (_: string, __: string, body: Sent | SentBeats) => {
        const now = new Date().toISOString();
        if ('beats' in body) {
          this.together.push(body.beats.map(({ scope }) => scope));
          return { now, beats: body.beats.map((beat) => ({ scope: beat.scope, ...this.#receive(beat) })) };
        }
        const answered = this.#receive(body);
        await this.held;
        return { now, rejected: [], ...answered };
      },
    };
    const runtime = {
      pace: () => {},
      refresh: async () => {},
      observe: async () => this.scopes,
      onChange: (listener: () => void) => {
        this.#changed = listener;
        return () => {};
      },
    };
    this.#reporter = new Reporter(
      client as unknown as Client,
      runtime as unknown as Runtime,
      { current: async () => registered } as unknown as Registration,
      'lab',
      { signal: this.#stop.signal, outages: new OutageLog(() => {}), say: () => {} },
    );
    this.ended = this.#reporter.run();
  }

  #receive(body: Sent): object {
    this.sent.push(body);
    this.#sent();
    return { seq: body.seq, resync: false, ...this.answer(body) };
  }

  /** Replaces an observation, as a change or without one. */
  show(observation: ScopedObservation): void {
    this.scopes = [...this.scopes.filter(({ scope }) => scope !== observation.scope), observation];
    this.#changed();
  }

  giveUp(gone: string): void {
    this.scopes = this.scopes.filter(({ scope }) => scope !== gone);
    this.#changed();
  }

  removed(): void {
    this.#reporter.reportRemoved();
  }

  /** Resolves with the reports of a scope once there are `count` of them. */
  async of(scope: string, count: number): Promise<readonly Sent[]> {
    for (;;) {
      const found = this.sent.filter((report) => report.scope === scope);
      if (found.length >= count) return found;
      const next = new Promise<void>((done) => {
        this.#sent = done;
      });
      // A reporter that has failed sends nothing any more: its error ends the wait.
      await Promise.race([next, this.ended]);
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }
}

const instance = (uid: string) =>
  ({ uid, service: SERVICE, restarts: 0 }) as ScopedObservation['instances'][number];

describe('a target of several scopes', () => {
  let target: ScopedTarget;
  afterEach(() => target.stop());

  it('reports each separately: its own numbers, base, completeness and watch age', async () => {
    target = new ScopedTarget([
      scoped('a', { instances: [instance('a1')], watchAgeMs: 10 }),
      scoped('b', { instances: [instance('b1')], watchAgeMs: 9_000, complete: false }),
    ]);
    const [a] = await target.of('a', 1);
    const [b] = await target.of('b', 1);
    expect(a).toMatchObject({ seq: '1', complete: true, watchAgeMs: 10, instances: [{ uid: 'a1' }] });
    expect(b).toMatchObject({ seq: '1', complete: false, watchAgeMs: 9_000, instances: [{ uid: 'b1' }] });

    target.show(scoped('a', { instances: [instance('a1'), instance('a2')], watchAgeMs: 20 }));
    const [, change] = await target.of('a', 2);
    expect(change).toMatchObject({ seq: '2', base: '1', watchAgeMs: 20 });
    expect(change?.changed?.instances).toEqual([instance('a2')]);
    target.show(scoped('a', { instances: [instance('a2')] }));
    expect((await target.of('a', 3))[2]).toMatchObject({ seq: '3', base: '2' });
    expect(await target.of('b', 1), 'what did not change is not reported again').toHaveLength(1);
  });

  it('sends full reports six at a time, and changes of more scopes without waiting for each other', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `ns/${n}`);
    const hold = () => {
      let release = () => {};
      const held = new Promise<void>((done) => {
        release = done;
      });
      return { held, release };
    };
    const first = hold();
    target = new ScopedTarget(names.map((name) => scoped(name)));
    target.held = first.held;
    await expect.poll(() => target.sent.length).toBeGreaterThanOrEqual(6);
    expect(target.sent).toHaveLength(6);
    target.held = null;
    first.release();
    for (const name of names) await target.of(name, 1);

    const second = hold();
    target.held = second.held;
    for (const name of names) target.show(scoped(name, { instances: [instance(name)] }));
    for (const name of names) await target.of(name, 2);
    second.release();
  });

  it('never bases a change on an incomplete report, and is full again when it is complete', async () => {
    target = new ScopedTarget([scoped('a'), scoped('b', { complete: false, instances: [instance('b1')] })]);
    await target.of('b', 1);
    target.show(scoped('b', { complete: false, instances: [instance('b2')] }));
    const [, second] = await target.of('b', 2);
    expect(second).toMatchObject({ seq: '2', complete: false, instances: [{ uid: 'b2' }] });
    target.show(scoped('b', { instances: [instance('b2')] }));
    const [, , third] = await target.of('b', 3);
    expect(third).toMatchObject({ seq: '3', complete: true, instances: [{ uid: 'b2' }] });
    expect(third).not.toHaveProperty('base');
    expect(await target.of('a', 1)).toHaveLength(1);
  });

  it('reports a scope that stalls with its age, at the same pace as the others', async () => {
    const began = performance.now();
    target = new ScopedTarget([scoped('a'), scoped('stalled', { watchAgeMs: 60_000 })], 30);
    const stalled = await target.of('stalled', 3);
    const fresh = await target.of('a', 3);
    expect(stalled.map(({ watchAgeMs }) => watchAgeMs)).toEqual([60_000, 60_000, 60_000]);
    expect(fresh.every(({ watchAgeMs, complete }) => watchAgeMs === 0 && complete)).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(50);
  });

  it('reports a scope that it cannot read as unavailable and empty, and in full when it can', async () => {
    target = new ScopedTarget([scoped('a', { instances: [instance('a1')] }), scoped('b')]);
    await target.of('a', 1);
    target.show(scoped('a', { instances: [instance('a1')], unavailable: 'forbidden' }));
    const [, blind] = await target.of('a', 2);
    expect(blind).toMatchObject({ unavailable: 'forbidden', complete: false, instances: [] });
    target.show(scoped('a', { instances: [instance('a1')] }));
    const [, , again] = await target.of('a', 3);
    expect(again).toMatchObject({ seq: '3', complete: true, instances: [{ uid: 'a1' }] });
    expect(again).not.toHaveProperty('unavailable');
    expect(await target.of('b', 1)).toHaveLength(1);
  });

  it('loses the base of one scope only where the server requests a resync of it', async () => {
    target = new ScopedTarget([scoped('a'), scoped('b')]);
    await target.of('b', 1);
    target.answer = ({ scope, base }) => ({ resync: scope === 'a' && base === '1' });
    target.show(scoped('a', { instances: [instance('a1')] }));
    const [, , full] = await target.of('a', 3);
    expect(full).toMatchObject({ seq: '3', complete: true, instances: [{ uid: 'a1' }] });
    target.show(scoped('b', { instances: [instance('b1')] }));
    expect((await target.of('b', 2))[1]).toMatchObject({ seq: '2', base: '1' });
  });

  it('sends one complete empty report for a scope that is no longer used, and resumes where it comes back', async () => {
    target = new ScopedTarget([scoped('a'), scoped('b', { instances: [instance('b1')] })]);
    await target.of('b', 1);
    target.giveUp('b');
    const [, last] = await target.of('b', 2);
    expect(last).toMatchObject({ seq: '2', complete: true, instances: [], services: [] });
    target.show(scoped('a', { instances: [instance('a1')] }));
    await target.of('a', 2);
    expect(await target.of('b', 2)).toHaveLength(2);
    target.show(scoped('b', { instances: [instance('b1')] }));
    const [, , back] = await target.of('b', 3);
    expect(back).toMatchObject({ seq: '3', base: '2', changed: { instances: [{ uid: 'b1' }] } });
  });

  it('sends one complete empty report for a scope that no rule covers, though an earlier agent reported it', async () => {
    target = new ScopedTarget([scoped('a'), scoped('b', { isLeftOut: true })]);
    const [first] = await target.of('b', 1);
    expect(first).toMatchObject({ seq: '1', complete: true, instances: [], services: [] });
    target.show(scoped('a', { instances: [instance('a1')] }));
    await target.of('a', 2);
    expect(await target.of('b', 1)).toHaveLength(1);
    target.show(scoped('b', { instances: [instance('b1')], observation: 2 }));
    expect((await target.of('b', 2))[1]).toMatchObject({ complete: true, observation: 2 });
  });

  it('sends a full report after a removal, also where a report is in progress', async () => {
    target = new ScopedTarget([scoped('a', { instances: [instance('a1')] })]);
    await target.of('a', 1);
    target.answer = ({ seq }) => {
      if (seq === '2') target.removed();
      return {};
    };
    target.show(scoped('a'));
    const [, , full] = await target.of('a', 3);
    expect(full).toMatchObject({ seq: '3', complete: true, instances: [] });
  });

  it('sends calm scopes that announce their changes as heartbeats of one request, and in full only once', async () => {
    target = new ScopedTarget(
      ['a', 'b', 'c'].map((scope) => scoped(scope, { instances: [instance(`${scope}1`)], beats: true })),
      30,
    );
    const [full, ...beats] = await target.of('c', 4);
    expect(full).toMatchObject({ seq: '1', complete: true });
    expect(beats.map(({ seq, base }) => [seq, base])).toEqual([
      ['2', '1'],
      ['3', '1'],
      ['4', '1'],
    ]);
    expect(beats.some((beat) => 'instances' in beat || 'complete' in beat)).toBe(false);
    expect(target.together[0]).toEqual(['a', 'b', 'c']);
    target.show(scoped('b', { instances: [], beats: true }));
    await expect
      .poll(() => target.sent.find(({ scope, changed }) => scope === 'b' && changed !== undefined), PATIENT)
      .toMatchObject({ base: '1', removed: { instances: ['b1'] } });
  });

  it('shows a workload that a rule has just found in full, so that its first report proves which copies it has', async () => {
    const rule = { observation: 1 };
    target = new ScopedTarget([scoped('a', { ...rule, services: [{ service: 'web.a@lab' }] })]);
    await target.of('a', 1);
    const found = [{ service: 'web.a@lab' }, { service: 'idle.a@lab', replicas: 0 }];
    target.show(scoped('a', { ...rule, services: found }));
    expect((await target.of('a', 2))[1]).toMatchObject({ seq: '2', complete: true, services: found });
    target.show(
      scoped('a', { ...rule, services: [{ service: 'web.a@lab', replicas: 2 }, ...found.slice(1)] }),
    );
    expect((await target.of('a', 3))[2], 'later changes of it are changes').toMatchObject({ base: '2' });
  });

  it('keeps the base of a heartbeat that the server did not answer: it proves as much again', async () => {
    target = new ScopedTarget([scoped('a', { beats: true }), scoped('b', { beats: true })], 30);
    let isLost = false;
    target.answer = ({ base }) => {
      if (base === undefined || isLost) return {};
      isLost = true;
      throw new ProblemAnswer({ status: 503, code: 'unavailable' });
    };
    const reports = await target.of('a', 4);
    expect(isLost).toBe(true);
    expect(reports.map(({ base }) => base)).toEqual([undefined, '1', '1', '1']);
  });

  it('does not compare the items of a scope whose lists are the same', async () => {
    let read = 0;
    const counted = { ...instance('a1'), toJSON: () => ({ uid: 'a1', service: SERVICE, read: read++ }) };
    const calm = scoped('a', { instances: [counted], beats: true });
    target = new ScopedTarget([calm, scoped('b', { beats: true })], 30);
    await target.of('a', 4);
    expect(read).toBe(0);
  });

  it('does not repeat a full report that the server could not read whenever another scope changes', async () => {
    target = new ScopedTarget([scoped('a', { instances: [instance('a1')], beats: true }), scoped('b')]);
    target.answer = ({ scope }) => (scope === 'a' ? { rejected: [{ errors: ['bad'] }] } : {});
    await target.of('b', 1);
    for (let change = 1; change <= 3; change++) {
      target.show(scoped('b', { instances: [instance(`b${change}`)] }));
      await target.of('b', change + 1);
    }
    expect(await target.of('a', 1)).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import type { Claim } from '../claim.ts';
import { isSilentFor, type ServerContact } from './server-contact.ts';
import { certainItems, openItems } from './summary.ts';
import { inPast } from './tense.ts';

const THEN = '2026-11-14T14:00:00.000Z';
const later = (ms: number) => new Date(Date.parse(THEN) + ms).toISOString();
const contact: ServerContact = { contactAt: 0, serverAt: Date.parse(THEN), fresh: {}, lost: false };

const running: Claim = {
  service: 'web@lab',
  state: 'running',
  since: THEN,
  desired: { revision: 2, attempt: 1, artifact: null, replicas: 1 },
  lastServing: null,
  formerPlace: null,
  serving: { revision: 2, attempt: 1, asOf: THEN, validUntil: later(15_000) },
  outcome: 'succeeded',
  proof: { reached: ['accepted', 'starting', 'running'], stoppedAt: null, evidence: [] },
  path: [],
  freshness: { asOf: THEN, ageMs: 0, freshForMs: 15_000, validUntil: later(15_000) },
  queued: [],
  lastKnown: null,
  cause: null,
  expecting: { evidence: 'runtime.observed', from: 'watcher', by: later(15_000) },
  timeout: null,
  message: { code: 'running', title: 'Running', body: '' },
  next: { owner: 'none', action: null, retrySafe: true },
  actions: [],
  position: '9',
  now: THEN,
};
const texts = (items: readonly { text: string }[]) => items.map(({ text }) => text);

describe('the certain and the open items of a claim', () => {
  it('in the past are told in the past tense', () => {
    const known = (claim: Claim) => texts(certainItems(claim, contact, 1_000, null, inPast));
    const open = (claim: Claim) => texts(openItems(claim, contact, 1_000, null, inPast));
    expect(known(running).slice(0, 2)).toEqual([
      'r2 served, and was what you asked for.',
      'Its one copy was ready.',
    ]);
    const params = { exits: 5, exitCode: 1, lastExit: THEN, instance: 'web-1' };
    const failed: Claim = { ...running, state: 'failed', cause: { code: 'crash_loop', params } };
    expect(known(failed)).toEqual([
      'r2 was up between two exits.',
      'r2 was applied.',
      'web-1 had exited with code 1.',
    ]);
    expect(open(failed)).toEqual(['Why the app exited.']);
    expect(open({ ...running, state: 'starting' })).toEqual(['Whether it became ready, and stayed so.']);
  });

  it('of a running service: everything that its state needs', () => {
    expect(texts(certainItems(running, contact, 1_000))).toEqual([
      'r2 serves, and is what you asked for.',
      'Its one copy is ready.',
      expect.stringMatching(/^Steady since /),
    ]);
    expect(openItems(running, contact, 1_000)).toEqual([]);
  });

  it('of one that runs on the word of its node: whether it answers, since nobody asks it', () => {
    const byNode = { ...running, message: { ...running.message, code: 'running.by_node' } };
    expect(texts(openItems(byNode, contact, 1_000))).toEqual(['Whether the app answers.']);
  });

  it('of a failed one: what was reached, and nothing that is in progress', () => {
    const failed: Claim = { ...running, state: 'failed', outcome: 'failed' };
    const built = { ...failed, proof: { ...failed.proof, reached: ['accepted', 'building'] as const } };
    expect(texts(certainItems(failed, contact, 1_000))).toEqual(['r2 serves.', 'r2 is applied.']);
    expect(texts(certainItems(built, contact, 1_000))).toEqual(['r2 serves.', 'r2 is recorded.']);
  });

  it('count ready instances as the claim does, and not in silence', () => {
    const cause = { code: 'not_ready', params: { ready: 1, wanted: 2 } } as const;
    const degraded: Claim = { ...running, state: 'degraded', cause };
    expect(texts(certainItems(degraded, contact, 1_000))).toContain('r2: 1 of 2 ready.');
    expect(texts(certainItems(degraded, contact, 7_000))).not.toContain('r2: 1 of 2 ready.');
    const more = { code: 'not_ready', params: { ready: 3, wanted: 1 } } as const;
    expect(texts(certainItems({ ...degraded, cause: more }, contact, 1_000))).toContain(
      'r2: 1 wanted, 3 ready.',
    );
  });

  it('in silence show the last known state, and that nothing was received since (S2)', () => {
    expect(texts(certainItems(running, contact, 7_000))).toEqual([
      'r2 served when last seen.',
      'r2 was running.',
      'r2 is applied.',
    ]);
    const inSilence = certainItems(running, contact, 7_000).filter(({ asOf }) => asOf !== null);
    expect(inSilence.every(({ isLast }) => isLast === true)).toBe(true);
    // One age for one fact: that of what was seen, and not that of the last word from the server.
    const seenAt = Date.parse(running.freshness.asOf ?? '');
    expect(inSilence.map(({ asOf }) => asOf)).toEqual(inSilence.map(() => seenAt));
    expect(openItems(running, contact, 7_000)).toMatchObject([
      {
        text: expect.stringMatching(/^Anything since /),
        detail: 'What was seen then is the last that this page has.',
      },
      { text: 'Whether the server is down, or only your connection to it.' },
    ]);
  });

  it('of a stale claim with a live server: whether it still holds is open', () => {
    const speaking = { ...contact, contactAt: 20_000, serverAt: Date.parse(later(20_000)) };
    expect(texts(certainItems(running, speaking, 20_000))).toContain('r2 was running.');
    expect(texts(openItems(running, speaking, 20_000))).toEqual(['Whether r2 is still running.']);
  });

  it('of an unknown one: its last known state, and never that it runs', () => {
    const unknown: Claim = {
      ...running,
      state: 'unknown',
      serving: null,
      lastKnown: { state: 'running', at: THEN, ageMs: 0 },
    };
    expect(texts(certainItems(unknown, contact, 1_000))).not.toContain('Its one copy is ready.');
    expect(texts(openItems(unknown, contact, 1_000))).toEqual([
      'Whether r2 runs now.',
      'Whether any revision answers.',
    ]);
    const silent: Claim = { ...unknown, cause: { code: 'stale_runtime', params: {} } };
    expect(texts(openItems(silent, contact, 1_000))).toContain('Why lab is silent.');
  });

  it('of what is ready and watched: only whether it stays so', () => {
    const by = later(60_000);
    const starting: Claim = {
      ...running,
      state: 'starting',
      expecting: { evidence: 'runtime.observed', from: 'agent', by },
      cause: { code: 'not_ready', params: {} },
    };
    const asked = (one: Claim) => texts(openItems(one, contact, 1_000));
    expect(asked(starting)).toContain('Whether it becomes ready, and stays so.');
    expect(asked({ ...starting, cause: { code: 'settling', params: {} } })).toContain(
      'Whether it stays ready for as long as it has to.',
    );
  });

  it('where nothing is proven to serve: that is known, and no question is open', () => {
    const failed: Claim = {
      ...running,
      state: 'failed',
      serving: null,
      lastServing: { revision: 2, attempt: 1, asOf: THEN, ageMs: 0 },
    };
    expect(texts(openItems(failed, contact, 1_000))).toContain('Whether r2 still serves.');
    const nothing: Claim = { ...failed, nothingServes: { asOf: THEN, validUntil: later(15_000) } };
    expect(texts(certainItems(nothing, contact, 1_000))[0]).toBe('Nothing serves.');
    expect(texts(openItems(nothing, contact, 1_000))).toEqual([]);
    const first: Claim = { ...nothing, lastServing: null };
    expect(texts(certainItems(first, contact, 1_000))[0]).toBe('Nothing serves.');
    expect(texts(openItems(first, contact, 1_000))).toEqual([]);
    expect(texts(openItems({ ...first, nothingServes: undefined }, contact, 1_000))).toEqual([
      'Whether any revision answers.',
    ]);
    const inSilence = texts(certainItems(nothing, contact, 7_000));
    expect(inSilence).not.toContain('Nothing serves.');
    expect(inSilence).toContain('Nothing served when last seen.');
    expect(inSilence, 'a revision that served before that was not last seen serving').not.toContain(
      'r2 served when last seen.',
    );
  });

  it('of a service that is to run nowhere: nothing of it runs, and never that its revision is gone', () => {
    const stopped: Claim = {
      ...running,
      ...{ state: 'stopped', serving: null },
      desired: { ...running.desired, replicas: 0 },
      proof: { ...running.proof, reached: ['accepted', 'starting', 'stopped'] },
    };
    expect(texts(certainItems(stopped, contact, 1_000))).toEqual(['Nothing of it runs any more.']);
    const cause = { code: 'scaled_to_zero', params: {} } as const;
    expect(texts(certainItems({ ...stopped, cause }, contact, 1_000))).toEqual(['No copy of it runs.']);
  });

  it('of what its target did not take: that the target is silent, if it is', () => {
    const failed: Claim = {
      ...running,
      ...{ state: 'failed', serving: null, message: { code: 'failed.apply_queue', title: '', body: '' } },
      freshness: { ...running.freshness, freshForMs: null },
    };
    const heard = (ms: number) => ({ ...contact, fresh: { lab: { asOf: THEN, validUntil: later(ms) } } });
    expect(texts(certainItems(failed, heard(15_000), 1_000))).not.toContain('lab is silent.');
    expect(texts(certainItems(failed, heard(-5_000), 1_000))).toContain('lab is silent.');
    expect(
      texts(certainItems(failed, { ...contact, looks: 0 }, 1_000)),
      'nobody has said anything of targets yet',
    ).not.toContain('lab is silent.');
    expect(texts(certainItems(failed, { ...contact, looks: 1 }, 1_000))).toContain('lab is silent.');
    const then = certainItems(failed, contact, 0, null, inPast);
    expect(texts(then).join(' '), 'of the past nobody says').not.toContain('silent');
    expect(texts(certainItems(failed, heard(-5_000), 7_000)), 'the page is').not.toContain('lab is silent.');
  });

  it('of a crash loop: the exits are counted, and why it exits is open', () => {
    const lastExit = new Date(Date.parse(THEN) - 30_000).toISOString();
    const params = { exits: 5, exitCode: 1, lastExit, instance: 'web-1' };
    const failed: Claim = { ...running, state: 'failed', cause: { code: 'crash_loop', params } };
    expect(certainItems(failed, contact, 1_000)).toContainEqual({
      text: 'web-1 exited with code 1.',
      detail: null,
      asOf: Date.parse(lastExit),
    });
    expect(texts(openItems(failed, contact, 1_000))).toEqual(['Why the app exits.']);
    expect(texts(openItems(failed, contact, 1_000, 'Error: DB_URL is required'))).toEqual([
      'Its log says “Error: DB_URL is required”. We cannot prove that it is the reason.',
    ]);
  });
});

it('names one end of a stage, however often its claim is read anew before it', () => {
  const waiting: Claim = {
    ...running,
    state: 'artifact_ready',
    expecting: {
      ...{ evidence: 'command.acknowledged', from: 'agent' },
      ...{ by: later(120_000), endsAt: later(600_000) },
    },
  };
  const until = (claim: Claim) => openItems(claim, contact, 0).at(-1)?.detail;
  const { expecting } = waiting;
  expect(until(waiting)).toBe(
    until({ ...waiting, expecting: { evidence: 'command.acknowledged', from: 'agent', by: later(600_000) } }),
  );
  expect(until(waiting)).not.toBe(
    until({ ...waiting, expecting: expecting && { ...expecting, endsAt: undefined } }),
  );
});

it('believes a claim that nobody takes work at its target, until the stream has spoken of targets', () => {
  const code = 'artifact_ready.target_offline';
  const offline: Claim = { ...running, state: 'artifact_ready', message: { code, title: '', body: '' } };
  expect(isSilentFor({ ...contact, looks: 0 }, offline, 0)).toBe(true);
  expect(isSilentFor({ ...contact, looks: 0 }, running, 0)).toBe(false);
  const heard = { lab: { asOf: THEN, validUntil: later(15_000) } };
  expect(isSilentFor({ ...contact, looks: 1, fresh: heard }, offline, 0)).toBe(false);
  expect(isSilentFor({ ...contact, looks: 1 }, running, 0)).toBe(true);
});

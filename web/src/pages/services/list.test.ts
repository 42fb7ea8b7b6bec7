import { describe, expect, it } from 'vitest';
import type { RibbonView } from '../../../../src/contract/answers/views.ts';
import { SAMPLE_NOW, sampleRow } from '../../components/sample-rows.ts';
import { changingRows } from './changing-rows.ts';
import { honestyOf } from './honesty.ts';
import { choiceOf } from './list-filter.ts';
import { cellForm, mapBlocks } from './map-blocks.ts';
import { RibbonShelf } from './ribbon-shelf.ts';
import { nextOf, readyCountOf, shownNow, shownSince, stateLabel, whyOf } from './row-words.ts';
import { savedViews, withView } from './saved-views.ts';

const SIGHT = { serverNow: SAMPLE_NOW, isPageSilent: false, mayOnlyRead: false };

describe('the search', () => {
  const finds = (query: string, sample: Parameters<typeof sampleRow>[0]) =>
    choiceOf(new URLSearchParams(query)).isWanted(sampleRow(sample));
  const service = { ref: 'checkout.shop@prod', state: 'failed', sha: '3f9c2e1aa', actor: 'ana' } as const;

  it('goes over name, commit with its message, and author, and not over our sentences', () => {
    expect(finds('q=checkout', service)).toBe(true);
    expect(finds('q=shop@prod', service)).toBe(true);
    expect(finds('q=3F9C2', service)).toBe(true);
    expect(finds('q=ana+checkout', service)).toBe(true);
    expect(finds('q=tax', service), 'the message is a part of the commit').toBe(true);
    expect(finds('q=park', { ...service, author: 'Lee Park' })).toBe(true);
    const message = { code: 'failed.start', title: 'It exits', body: 'It exits with code 1.' };
    expect(finds('q=exits', { ...service, message })).toBe(false);
  });

  it('a state that there is not is no filter; a group and an author are', () => {
    expect(finds('state=nonsense', service)).toBe(true);
    expect(finds('show=running', service)).toBe(false);
    expect(finds('by=ana', service)).toBe(true);
    expect(finds('by=mei', service)).toBe(false);
    expect(finds('by=Lee+Park', { ...service, author: 'Lee Park' })).toBe(true);
  });
});

describe('what serves, and how much is proven', () => {
  it('counts what serves whatever its newest revision does, and what is down apart', () => {
    const rows = [
      sampleRow({ state: 'running', serving: 1 }),
      sampleRow({ state: 'failed', serving: 1, wanted: 2 }),
      sampleRow({ state: 'building', serving: 1, wanted: 2 }),
      sampleRow({ state: 'failed' }),
      sampleRow({ state: 'stopped' }),
      sampleRow({ state: 'stopping' }),
      sampleRow({ state: 'waiting_for_worker' }),
    ];
    expect(honestyOf(rows.slice(0, 1)).proven).toBe('1 of 1 state proven');
    expect(honestyOf(rows), 'the numbers add up').toEqual({
      lead: '3 of 7 serve',
      rest: ', 1 serves nothing, 2 stopped, 1 not up yet',
      proven: '7 of 7 states proven',
    });
  });

  it('counts what exits again and again apart while it is up: it serves nobody for long', () => {
    const others = [sampleRow({ state: 'running', serving: 1 }), sampleRow({ state: 'failed' })];
    const down = sampleRow({ state: 'failed' });
    const up = { ...sampleRow({ state: 'failed', serving: 1 }), isUpForNow: true };
    const lead = '1 of 3 serves';
    expect(honestyOf([...others, down])).toMatchObject({ lead, rest: ', 2 serve nothing' });
    expect(honestyOf([...others, up])).toMatchObject({
      ...{ lead, rest: ', 1 serves nothing, 1 is up for now' },
    });
    expect(whyOf(up, SIGHT)).toMatch(/Up for now\.$/);
  });

  it('counts nothing at a silent target, and nothing that is too old', () => {
    const rows = [
      sampleRow({ state: 'artifact_ready', isTargetSilent: true, serving: 1 }),
      sampleRow({ state: 'running', isOld: true, serving: 1 }),
      sampleRow({ state: 'unknown' }),
    ];
    expect(honestyOf(rows)).toEqual({
      ...{ lead: '0 of 3 known to serve', rest: ', 3 not known', proven: '0 of 3 states proven' },
    });
  });
});

describe('the words of a row', () => {
  it('exits in a row name the revision, their number and its time, and no instance', () => {
    const failed = sampleRow({ state: 'failed', serving: 41, wanted: 42 });
    const seen = { firstExit: '2026-11-17T13:23:31.000Z', lastExit: '2026-11-17T13:45:40.000Z' };
    const exits = (count: number) =>
      whyOf(
        {
          ...failed,
          claim: {
            ...failed.claim,
            cause: { code: 'crash_loop', params: { ...seen, exits: count, exitCode: 1, instance: 'web-3' } },
          },
        },
        SIGHT,
      );
    expect(exits(5)).toBe('r42 exits with code 1, 5 times in 22 min. r41 still serves.');
    expect(exits(45)).toBe('r42 exits with code 1, 45 times in 22 min. r41 still serves.');
  });

  it('leave the count of ready copies to its column', () => {
    const message = {
      code: 'starting',
      title: 'Starting',
      body: '0 of 2 ready. Nothing listens on port 80 (PORT) yet. Wait.',
    };
    expect(whyOf(sampleRow({ state: 'starting', message }), SIGHT)).toBe('Nothing listens on port 80 yet.');
    const degraded = { code: 'degraded', title: 'Not well', body: 'It answers 503. 2 of 3 ready.' };
    expect(whyOf(sampleRow({ state: 'degraded', message: degraded, serving: 1 }), SIGHT)).toBe(
      'It answers 503.',
    );
  });

  it('a failure names its stage, what happened and what still serves', () => {
    const message = {
      code: 'failed.start',
      title: 'Exits',
      body: 'It exits with code 1. It should stay up.',
    };
    const failed = sampleRow({ state: 'failed', message, serving: 41, wanted: 42, asks: 'user' });
    expect(stateLabel(failed)).toBe('Failed at start');
    expect(whyOf(failed, SIGHT)).toBe('It exits with code 1. r41 still serves.');
    expect(whyOf(sampleRow({ state: 'failed', message }), SIGHT)).toBe(
      'It exits with code 1. Nothing serves.',
    );
    expect(whyOf({ ...sampleRow({ state: 'failed', message }), isNothingServing: false }, SIGHT)).toBe(
      'It exits with code 1. Whether anything serves is not known.',
    );
    expect(nextOf(failed, SIGHT)).toMatchObject({ who: 'You', note: 'fix it, or roll back' });
    const down = sampleRow({ state: 'failed', asks: 'user', wanted: 2 });
    expect(nextOf(down, SIGHT)).toMatchObject({ who: 'You', note: 'fix it and deploy again' });
    expect(nextOf(down, { ...SIGHT, mayOnlyRead: true })?.who, 'it is not the move of a reader').toBe(
      'Deployer',
    );
    const moves = (action: 'start_agent' | null) => {
      const claim = { ...failed.claim, next: { owner: 'platform' as const, action, retrySafe: true } };
      return nextOf({ ...failed, claim }, SIGHT)?.who;
    };
    expect([moves('start_agent'), moves(null)]).toEqual(['Operator', 'Platform']);
    const restarts = { owner: 'user', action: 'restart', retrySafe: true } as const;
    const sick = sampleRow({ state: 'degraded', wanted: 1, serving: 1 });
    expect(nextOf({ ...sick, claim: { ...sick.claim, next: restarts } }, SIGHT)?.note).toBe('restart it');
    const next = { owner: 'user', action: 'raise_quota', retrySafe: true } as const;
    const noteOf = (more: object) =>
      nextOf({ ...failed, claim: { ...failed.claim, next: { ...next, ...more } } }, SIGHT)?.note;
    expect(noteOf({})).toBe('raise the quota or ask for less, then retry');
    expect(noteOf({ elsewhere: true }), 'a retry here would be refused').toBe(
      'raise the quota or ask for less',
    );
  });

  it('the next move at a silent target has a verb, and a limit never reads as a time of arrival', () => {
    const next = (state: 'unknown' | 'artifact_ready', action: 'start_agent' | null, left?: number) => {
      const row = sampleRow({
        ref: 'kiosk@edge',
        state,
        isTargetSilent: true,
        asks: 'platform',
        ...(left && { left }),
      });
      return nextOf({ ...row, claim: { ...row.claim, next: { ...row.claim.next, action } } }, SIGHT);
    };
    expect(next('unknown', 'start_agent')).toMatchObject({ who: 'Operator', note: 'bring edge back' });
    expect(next('artifact_ready', 'start_agent', 480)).toEqual({
      who: 'Operator',
      note: 'bring edge back within 8 min',
      inOneLine: 'has 8 min to act',
    });
    expect(next('unknown', null)).toMatchObject({ who: 'Platform', note: 'waits for edge' });
    expect(nextOf(sampleRow({ state: 'starting', asks: 'platform', left: 240 }), SIGHT)).toEqual({
      who: 'Platform',
      note: 'gives up in 4 min',
      inOneLine: 'gives up in 4 min',
    });
  });

  it('calm says nothing, and doubt is said as doubt', () => {
    expect(whyOf(sampleRow({ state: 'running' }), SIGHT)).toBe('');
    expect(whyOf(sampleRow({ state: 'unknown', isTargetSilent: true }), SIGHT)).toMatch(
      /^Was running when last seen, \d\d:\d\d:\d\d$/,
    );
    expect(whyOf(sampleRow({ state: 'running', isOld: true }), { ...SIGHT, isPageSilent: true })).toBe(
      'Was running when last heard.',
    );
    const failed = sampleRow({ state: 'failed', isOld: true, wanted: 3 });
    const lost = { ...SIGHT, isPageSilent: true };
    const asOf = failed.claim.now;
    const served = { revision: 2, attempt: 1, asOf, ageMs: 0, validUntil: asOf };
    expect(whyOf({ ...failed, claim: { ...failed.claim, serving: served } }, lost)).toBe(
      'Had failed when last heard. r2 still served.',
    );
    expect(whyOf({ ...failed, isNothingLast: true }, lost)).toBe(
      'Had failed when last heard. Nothing served.',
    );
    expect(whyOf(sampleRow({ state: 'unknown', cause: 'not_observed' }), SIGHT)).toBe(
      'The rule of prod no longer covers it.',
    );
    expect(nextOf(sampleRow({ state: 'running', isOld: true, asks: 'user' }), SIGHT)).toBeNull();
  });

  it('what is built for a silent target waits, as its reason says', () => {
    const waiting = sampleRow({
      ref: 's@edge',
      state: 'artifact_ready',
      wanted: 6,
      serving: 5,
      isTargetSilent: true,
    });
    expect(stateLabel(waiting)).toBe('Waiting');
    expect(whyOf(waiting, SIGHT)).toBe('r6 waits for edge. r5 was serving when last seen.');
    expect(stateLabel(sampleRow({ state: 'artifact_ready' }))).toBe('Built');
  });

  it('each age of one silence is that of the last sight', () => {
    const silent = sampleRow({ state: 'unknown', sinceAgo: 357, isTargetSilent: true });
    expect(SAMPLE_NOW - shownSince(silent, SAMPLE_NOW)).toBe(372_000);
    expect(silent.targetSilentMs).toBe(372_000);
    expect(SAMPLE_NOW - shownSince(sampleRow({ state: 'running', sinceAgo: 60 }), SAMPLE_NOW)).toBe(60_000);
  });

  it('a ribbon ends hatched where the target is silent, whatever the deploy', () => {
    expect(shownNow(sampleRow({ state: 'artifact_ready', isTargetSilent: true }))).toBe('unknown');
    expect(shownNow(sampleRow({ state: 'degraded' }))).toBe('degraded');
  });

  it('copies count as proven only while they are', () => {
    expect(readyCountOf(sampleRow({ state: 'running' }))).toEqual({ ready: 2, wanted: 2, isProven: true });
    expect(readyCountOf(sampleRow({ state: 'running', isOld: true }))).toMatchObject({ isProven: false });
    expect(readyCountOf(sampleRow({ state: 'starting', isTargetSilent: true }))).toMatchObject({
      isProven: false,
    });
  });
});

describe('the map', () => {
  it('says why nothing is known of a namespace, where it is so of all of it', () => {
    const troubles = (...causes: ('forbidden' | 'stale_runtime')[]) =>
      mapBlocks(
        causes.map((cause, i) => sampleRow({ ref: `a${i}.bank@prod`, state: 'unknown', cause })),
      )[0]?.namespaces.map(({ trouble }) => trouble);
    expect(troubles('forbidden', 'forbidden')).toEqual(['may not be read']);
    expect(troubles('forbidden', 'stale_runtime')).toEqual([null]);
  });

  it('has each service in a place that its state does not change', () => {
    const places = (state: 'running' | 'failed') =>
      mapBlocks([
        sampleRow({ ref: 'b.shop@prod', state }),
        sampleRow({ ref: 'a.shop@prod', state: 'running' }),
        sampleRow({ ref: 'x.data@prod', state: 'running' }),
        sampleRow({ ref: 'kiosk@edge', state: 'unknown', isTargetSilent: true }),
      ]).map(({ target, isSilent, namespaces }) => [
        target,
        isSilent,
        namespaces.map(({ namespace, rows }) => [namespace, rows.map(({ ref }) => ref)]),
      ]);
    expect(places('running')).toEqual([
      [
        'prod',
        false,
        [
          ['data', ['x.data@prod']],
          ['shop', ['a.shop@prod', 'b.shop@prod']],
        ],
      ],
      ['edge', true, [[null, ['kiosk@edge']]]],
    ]);
    expect(places('failed')).toEqual(places('running'));
  });

  it('draws what runs at a silent target as not known, and what serves nothing louder than what is served', () => {
    expect(cellForm(sampleRow({ state: 'artifact_ready', isTargetSilent: true }))).toBe('unknown');
    const served = (state: 'failed' | 'degraded') => ({ ...sampleRow({ state }), isNothingServing: false });
    expect(cellForm(served('degraded'))).toBe('degraded');
    expect(cellForm(served('failed'))).toBe('failed');
    expect(cellForm({ ...served('failed'), isNothingServing: true })).toBe('down');
    expect(cellForm(sampleRow({ state: 'starting' }))).toBe('progress');
  });
});

describe('saved views', () => {
  it('a name stands once, and storage of another kind counts as none', () => {
    const views = withView([{ name: 'On call', query: 'target=prod' }], {
      name: 'On call',
      query: 'show=unknown',
    });
    expect(views).toEqual([{ name: 'On call', query: 'show=unknown' }]);
    expect(savedViews(JSON.stringify(views))).toEqual(views);
    for (const stored of [null, 'nonsense', '{}', '[1, null, {"name": ""}]'])
      expect(savedViews(stored)).toEqual([]);
  });
});

describe('ribbons of the rows on the screen', () => {
  const ribbonOf = (ref: string): RibbonView => ({
    ref,
    from: '',
    to: '',
    stretches: [],
    ms: {},
    holding: null,
    ticks: [],
  });
  const stage = (answer: (refs: readonly string[]) => Promise<readonly RibbonView[]>) => {
    const asked: (readonly string[])[] = [];
    const due: (() => void)[] = [];
    const clock = { now: 0 };
    const shelf = new RibbonShelf(
      (refs) => {
        asked.push(refs);
        return answer(refs);
      },
      () => clock.now,
      (run) => due.push(run),
    );
    const settle = async () => {
      for (const run of due.splice(0)) run();
      await new Promise((done) => setImmediate(done));
    };
    return { shelf, asked, clock, settle };
  };
  const all = async (refs: readonly string[]) => refs.map(ribbonOf);

  it('are read in one call, and again only after a transition or a while', async () => {
    const { shelf, asked, clock, settle } = stage(all);
    shelf.show('a@t', 'running 1');
    shelf.show('b@t', 'running 1');
    await settle();
    expect(asked).toEqual([['a@t', 'b@t']]);
    expect(shelf.ribbonOf('a@t')).toEqual(ribbonOf('a@t'));
    shelf.show('a@t', 'running 1');
    await settle();
    expect(asked).toHaveLength(1);
    shelf.show('b@t', 'failed 2');
    await settle();
    expect(asked[1]).toEqual(['b@t']);
    clock.now = 6 * 60_000;
    shelf.refresh();
    await settle();
    expect(asked[2]).toEqual(['a@t', 'b@t']);
  });

  it('are not read for rows that left the screen, and asked for again after a failure', async () => {
    let isDown = true;
    const { shelf, asked, clock, settle } = stage((refs) =>
      isDown ? Promise.reject(new Error('down')) : all(refs),
    );
    const leave = shelf.show('gone@t', 'x');
    leave();
    shelf.show('a@t', 'x');
    await settle();
    expect(asked).toEqual([['a@t']]);
    shelf.refresh();
    await settle();
    expect(asked, 'not at once').toHaveLength(1);
    isDown = false;
    clock.now = 11_000;
    shelf.refresh();
    await settle();
    expect(shelf.ribbonOf('a@t')).toEqual(ribbonOf('a@t'));
  });
});

it('what is failed, degraded or starting is read again once in a while, the oldest first, some at once', () => {
  const read = (state: 'failed' | 'running', agoMs: number) => {
    const row = sampleRow({ state, ref: `${state}-${agoMs}@lab` });
    return { ...row, claim: { ...row.claim, now: new Date(SAMPLE_NOW - agoMs).toISOString() } };
  };
  const rows = [
    read('failed', 5_000),
    read('failed', 11_000),
    read('running', 60_000),
    read('failed', 30_000),
  ];
  expect(changingRows(rows, SAMPLE_NOW).map(({ ref }) => ref)).toEqual([
    ...['failed-30000@lab', 'failed-11000@lab'],
  ]);
  expect(changingRows(Array(40).fill(read('failed', 30_000)), SAMPLE_NOW)).toHaveLength(5);
});

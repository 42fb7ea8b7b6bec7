import { describe, expect, it } from 'vitest';
import { heardRibbon, heardStretches, heardUpTo, silencesOf } from './heard.ts';

const T0 = Date.parse('2026-11-17T12:00:00Z');
const at = (minutes: number) => new Date(T0 + minutes * 60_000).toISOString();
const ms = (minutes: number) => T0 + minutes * 60_000;
const span = (from: number, until: number) => ({
  epoch: '1',
  from: at(from),
  until: at(until),
  firstSeq: null,
  lastSeq: null,
});

describe('when a target was heard', () => {
  it('is one stretch where scopes overlap and where an agent only restarts', () => {
    const spans = [span(0, 10), span(5, 20), span(20.1, 30)];
    expect(heardStretches(spans, 10_000)).toEqual([{ from: ms(0), until: ms(30) }]);
  });

  it('has a silence between two stretches, newest first, and an open one while it is silent', () => {
    const heard = heardStretches([span(0, 10), span(15, 20), span(40, 50)], 10_000);
    expect(silencesOf(heard, false, ms(-60))).toEqual([
      { from: ms(20), until: ms(40) },
      { from: ms(10), until: ms(15) },
    ]);
    expect(silencesOf(heard, true, ms(16))).toEqual([
      { from: ms(50), until: null },
      { from: ms(20), until: ms(40) },
    ]);
  });

  it('is never called heard up to now while it is silent', () => {
    const heard = heardStretches([span(0, 10)], 0);
    const { stretches } = heardRibbon('edge', heard, true, { from: ms(5), to: ms(30) });
    expect(stretches).toEqual([
      { state: 'running', from: at(5), to: at(10) },
      { state: 'unknown', from: at(10), to: at(30) },
    ]);
  });

  it('goes on up to the last report, also where that is younger than what was read', () => {
    const heard = heardStretches([span(0, 10)], 0);
    expect(heardUpTo(heard, at(11))).toEqual([{ from: ms(0), until: ms(11) }]);
    expect(heardUpTo(heard, at(9))).toEqual(heard);
    expect(heardUpTo(heard, null)).toEqual(heard);
  });

  it('draws an agent that is heard up to now, and nothing before its first report', () => {
    const heard = heardStretches([span(10, 20), span(25, 29)], 0);
    const { stretches, ms: spent } = heardRibbon('edge', heard, false, { from: ms(0), to: ms(30) });
    expect(stretches.map(({ state }) => state)).toEqual(['running', 'unknown', 'running']);
    expect(stretches[0]?.from).toBe(at(10));
    expect(stretches.at(-1)?.to).toBe(at(30));
    expect(spent).toEqual({ running: 15 * 60_000, unknown: 5 * 60_000 });
  });
});

import { expect, it } from 'vitest';
import { servedStretches } from './served.ts';

const stamp = (revision: number) => ({ revision, attempt: 1 });
const piece = (ms: number, served?: object, isRejected = false) => ({
  ms,
  isRejected,
  evidence: { body: served === undefined ? {} : { served } },
});

it('draws each revision from the report that shows it to the last that did', () => {
  const pieces = [
    piece(10),
    piece(20, { now: stamp(1), until: null }),
    piece(30, { now: null, until: { ...stamp(9), asOf: 29 } }, true),
    piece(40, { now: stamp(2), until: { ...stamp(1), asOf: 38 } }),
    piece(50, { now: null, until: { ...stamp(2), asOf: 49 } }),
    piece(60, { now: stamp(3), until: null }),
  ];
  expect(servedStretches(pieces)).toEqual([
    { revision: 1, from: 20, until: 38 },
    { revision: 2, from: 40, until: 49 },
    { revision: 3, from: 60, until: null },
  ]);
});

it('knows by its end what served before everything that was read', () => {
  expect(servedStretches([piece(40, { now: null, until: { ...stamp(7), asOf: 38 } })])).toEqual([
    { revision: 7, from: Number.NEGATIVE_INFINITY, until: 38 },
  ]);
});

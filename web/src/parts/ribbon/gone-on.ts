import type { RibbonView } from '../../../../src/contract/answers/views.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';

/** What is shown of a service at this instant. */
interface ShownNow {
  readonly state: State;
  /** Since when it is so; of what is not known now, the last sight of it. */
  readonly since: number;
}

interface KnownStretch {
  readonly state: State;
  readonly from: number;
  readonly to: number;
}

/**
 * The same ribbon a while after it was read: a window of the same length that ends now. The state that it ended with goes on
 * until the one that is shown now began. Nothing after the last sight is drawn as known, even where the server could still
 * vouch for it when the ribbon was read (S2). Pure.
 */
export function goneOn(ribbon: RibbonView, { state, since }: ShownNow, now: number): RibbonView {
  const [readFrom, readTo] = [Date.parse(ribbon.from), Date.parse(ribbon.to)];
  const to = Math.max(now, readTo);
  const from = readFrom + (to - readTo);
  const read = ribbon.stretches.map((one) => ({
    state: one.state,
    from: Date.parse(one.from),
    to: Date.parse(one.to),
  }));
  const last = read.at(-1);
  // Where nothing is on record, nothing has gone on.
  if (last === undefined) return ribbon;
  const begin = Math.min(to, state === 'unknown' ? since : Math.max(readTo, since));
  const pieces = [...read, { state: last.state, from: readTo, to: begin }]
    .map((one) => ({ ...one, to: Math.min(one.to, begin) }))
    .concat({ state, from: Math.max(begin, read[0]?.from ?? begin), to });
  const shown = joined(pieces.map((one) => ({ ...one, from: Math.max(one.from, from) })));
  // The server counts the time of each state exactly, and draws it in points: only what differs is counted here.
  const ms = { ...ribbon.ms };
  for (const one of shown) ms[one.state] = (ms[one.state] ?? 0) + one.to - one.from;
  for (const one of read) ms[one.state] = Math.max(0, (ms[one.state] ?? 0) - (one.to - one.from));
  const instant = (at: number) => new Date(at).toISOString();
  return {
    ...ribbon,
    ms,
    from: instant(from),
    to: instant(to),
    stretches: shown.map((one) => ({ state: one.state, from: instant(one.from), to: instant(one.to) })),
    ticks: ribbon.ticks.filter(({ at }) => Date.parse(at) >= from),
  };
}

/** Without empty pieces, and neighbours of one state as one. */
function joined(pieces: readonly KnownStretch[]): readonly KnownStretch[] {
  const found: KnownStretch[] = [];
  for (const piece of pieces) {
    if (piece.to <= piece.from) continue;
    const before = found.at(-1);
    if (before?.state === piece.state && before.to === piece.from)
      found[found.length - 1] = { ...before, to: piece.to };
    else found.push(piece);
  }
  return found;
}

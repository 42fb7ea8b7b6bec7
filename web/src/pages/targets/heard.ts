import type { Page, RibbonView, SpanView } from '../../../../src/contract/answers/views.ts';

/** A stretch of time, in milliseconds by the server's clock. */
interface HeardStretch {
  readonly from: number;
  readonly until: number;
}

/** A stretch without a report. `until` is null while it goes on. */
export interface TargetSilence {
  readonly from: number;
  readonly until: number | null;
}

type Spans = Page<SpanView>['items'];

/**
 * The stretches in which any agent of a target was heard, of any scope, oldest first. A gap that is shorter than
 * `bridgeMs` is none: an agent that restarts is away for a moment, and its first report is on its way.
 */
export function heardStretches(spans: Spans, bridgeMs: number): readonly HeardStretch[] {
  const sorted = spans
    .map(({ from, until }) => ({ from: Date.parse(from), until: Date.parse(until) }))
    .sort((a, b) => a.from - b.from);
  const merged: HeardStretch[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && span.from <= last.until + bridgeMs)
      merged[merged.length - 1] = { from: last.from, until: Math.max(last.until, span.until) };
    else merged.push(span);
  }
  return merged;
}

/** The stretches, of which the last goes on after they were read: up to the last report, and no further. */
export function heardUpTo(heard: readonly HeardStretch[], at: string | null): readonly HeardStretch[] {
  const last = heard.at(-1);
  if (last === undefined || at === null || Date.parse(at) <= last.until) return heard;
  return [...heard.slice(0, -1), { from: last.from, until: Date.parse(at) }];
}

/** The gaps between the stretches that end after `since`, newest first. An agent that is silent now has an open one. */
export function silencesOf(
  heard: readonly HeardStretch[],
  isSilent: boolean,
  since: number,
): readonly TargetSilence[] {
  const gaps: TargetSilence[] = heard
    .slice(1)
    .map(({ from }, i) => ({ from: heard[i]?.until ?? from, until: from }));
  const last = heard.at(-1);
  if (isSilent && last !== undefined) gaps.push({ from: last.until, until: null });
  return gaps.filter(({ until }) => until === null || until > since).reverse();
}

/** The same as a ribbon: heard is solid, silent is hatched; before the first report nothing is drawn. */
export function heardRibbon(
  target: string,
  heard: readonly HeardStretch[],
  isSilent: boolean,
  window: { readonly from: number; readonly to: number },
): RibbonView {
  const end = isSilent ? (heard.at(-1)?.until ?? window.to) : window.to;
  const pieces = heard.flatMap(({ from, until }, i) => {
    const next = heard[i + 1];
    const isLast = next === undefined;
    return [
      { state: 'running' as const, from, to: isLast ? Math.max(until, end) : until },
      ...(isLast
        ? isSilent
          ? [{ state: 'unknown' as const, from: until, to: window.to }]
          : []
        : [{ state: 'unknown' as const, from: until, to: next.from }]),
    ];
  });
  const cut = pieces.flatMap(({ state, from, to }) => {
    const [begin, finish] = [Math.max(from, window.from), Math.min(to, window.to)];
    return finish > begin ? [{ state, from: begin, to: finish }] : [];
  });
  const total = (state: 'running' | 'unknown') =>
    cut.reduce((sum, one) => (one.state === state ? sum + one.to - one.from : sum), 0);
  const instant = (ms: number) => new Date(ms).toISOString();
  return {
    ref: target,
    from: instant(window.from),
    to: instant(window.to),
    stretches: cut.map(({ state, from, to }) => ({ state, from: instant(from), to: instant(to) })),
    ms: { running: total('running'), unknown: total('unknown') },
    holding: null,
    ticks: [],
  };
}

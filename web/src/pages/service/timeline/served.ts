import type { ServedStamp } from '../../../../../src/contract/evidence.ts';

/** A time in which one revision was observed to serve; without an end it is the last that was. */
export interface ServedStretch {
  readonly revision: number;
  readonly from: number;
  readonly until: number | null;
}

/** A record as far as it says what serves. */
interface ServedPiece {
  readonly ms: number;
  readonly isRejected: boolean;
  readonly evidence: { readonly body?: unknown };
}

/** The part of a report that says that something else serves from it on. */
interface ServedChange {
  readonly now: ServedStamp | null;
  readonly until: (ServedStamp & { readonly asOf: number }) | null;
}

/**
 * The revisions that served, by the reports that changed it. What served before the first of them is known by what that
 * one ends; its beginning lies before everything that is drawn. Pure.
 */
export function servedStretches(pieces: readonly ServedPiece[]): readonly ServedStretch[] {
  const stretches: ServedStretch[] = [];
  for (const { evidence, ms, isRejected } of pieces) {
    const change = isRejected ? undefined : changeIn(evidence.body);
    if (change === undefined) continue;
    const last = stretches.at(-1);
    if (last !== undefined && last.until === null)
      stretches[stretches.length - 1] = { ...last, until: change.until?.asOf ?? ms };
    else if (last === undefined && change.until !== null)
      stretches.push({
        revision: change.until.revision,
        from: Number.NEGATIVE_INFINITY,
        until: change.until.asOf,
      });
    if (change.now !== null) stretches.push({ revision: change.now.revision, from: ms, until: null });
  }
  return stretches;
}

function changeIn(body: unknown): ServedChange | undefined {
  return (body as { readonly served?: ServedChange } | null)?.served;
}

import { compareDigits } from '../contract/digits.ts';
import type { Judged, ObservedBody } from '../contract/evidence.ts';
import type { Instance, ServiceEntry } from '../contract/report.ts';
import { endsAfter } from './ends.ts';
import { exitsAfter } from './exits.ts';
import type {
  Cleared,
  Mark,
  Observed,
  ObservedInstance,
  ObservedPart,
  Proven,
  Steady,
  SteadyEntry,
} from './facts.ts';
import { isBehind, isCounted, isJudged, opaquenessOf, sameStamp } from './instances.ts';
import { leftAfter } from './left.ts';
import { servedAfter } from './served.ts';
import { workloadAfter, workloadFate } from './workload-seen.ts';

const SILENCES_KEPT = 64;
const CLEARED_KEPT = 8;
const ENTRIES_KEPT = 8;

/**
 * Folds an observation, which replaces the earlier one of its scope; a complete one of `*` replaces every
 * scope. An instance that looks the same as in the report before stays steady since then: stability is
 * counted between reports, by `asOf`, and never by a clock.
 */
export function foldObserved(proven: Proven, body: ObservedBody, mark: Mark): Proven {
  const { parts } = proven.observed;
  const previous = parts.find((p) => p.scope === body.scope);
  // The reports of a target are one source, in the order of the ledger: an older row was folded, or moved aside, before.
  if (parts.some((part) => isFolded(mark, part.mark))) return proven;
  const everything = body.scope === '*' && body.complete && !body.corrupt;
  const aside = leftAfter(proven.observed, body, mark);
  const others = everything ? [] : aside.parts.filter((p) => p.scope !== body.scope);
  // Another cluster is another source: its observations count from its own first report on (F61).
  const { identityEpoch = '0' } = body;
  const same = parts.filter(({ epoch }) => compareDigits(epoch, identityEpoch) >= 0);
  const before = same.find((p) => p === previous);
  const part: ObservedPart = {
    scope: body.scope,
    mark,
    epoch: body.epoch,
    asOf: body.asOf,
    completeAsOf: body.complete ? body.asOf : (before?.completeAsOf ?? null),
    completeMark: body.complete ? mark : (before?.completeMark ?? null),
    // mutant: corrupt-kept
    corrupt: body.corrupt,
    instances: body.instances.map((instance) => withSteady(instance, body.changedAsOf, mark, same)),
    entry: body.entry,
    entries: entriesAfter(body, mark, before, same),
    cleared: clearedBy(body, mark, everything ? same : same.filter((p) => p === before), [
      // A rule did not cover it, and does again: nothing of it was seen meanwhile.
      ...(workloadFate(proven.observed) === 'not_observed' ? body.instances : []),
    ]),
  };
  const next = [...others, part].sort((a, b) => (a.scope < b.scope ? -1 : 1));
  const ends = endsAfter(proven.observed.ends ?? [], body);
  const exits = exitsAfter(proven.observed, same, next, body, mark, ends);
  const pausedSince = body.judged?.paused ? (proven.observed.pausedSince ?? mark.at) : undefined;
  return {
    ...proven,
    observed: {
      parts: next,
      ...silencesAfter(proven, body, mark),
      ...servedAfter(proven.observed, body, mark),
      ...workloadAfter(proven, body, mark),
      ...(aside.left.length === 0 ? {} : { left: aside.left }),
      ...(pausedSince === undefined ? {} : { pausedSince }),
      ...knownAfter(proven.observed, body),
      ...(exits.length === 0 ? {} : { exits }),
      ...(ends.length === 0 ? {} : { ends }),
    },
  };
}

/** The state that an attempt had before it could not be judged; forgotten as soon as it is judged again. */
function knownAfter({ known }: Observed, { judged, known: left }: ObservedBody): Pick<Observed, 'known'> {
  if (left !== undefined && judged !== null) {
    const { revision, attempt } = judged;
    return { known: { ...left, revision, attempt } };
  }
  return known === undefined || (judged !== null && judged.contract !== 'opaque') ? {} : { known };
}

/** The row is the one that was folded, or older than it. */
const isFolded = (mark: Mark, by: Mark) => compareDigits(mark.position, by.position) <= 0;

function withSteady(
  instance: Instance,
  since: number,
  mark: Mark,
  parts: readonly ObservedPart[],
): ObservedInstance {
  for (const part of parts) {
    const before = part.instances.find((i) => i.uid === instance.uid);
    if (before === undefined) continue;
    // First observed while something could not be read: it counts from the first report in which everything
    // could.
    const unproven = part.corrupt && before.steady.evidence === part.mark.id;
    // mutant: steady-while-same
    if (sameCondition(before, instance) && !unproven) return { steady: before.steady, ...instance };
    break;
  }
  return { steady: steadyFrom(since, mark, parts), ...instance };
}

/** Steady from this report on; the last reports of all scopes are contrary to it. */
function steadyFrom(since: number, mark: Mark, parts: readonly ObservedPart[]): Steady {
  return { since, evidence: mark.id, contrary: parts.map((part) => part.mark.id) };
}

/** Keeps the newest entries: these, a report interval apart, outlast any stability window. */
function entriesAfter(
  body: ObservedBody,
  mark: Mark,
  previous: ObservedPart | undefined,
  parts: readonly ObservedPart[],
): readonly SteadyEntry[] {
  const { entry } = body;
  if (previous === undefined) {
    const steady = { since: body.changedAsOf, evidence: mark.id, contrary: contraryEntries(parts) };
    return [{ entry, steady }];
  }
  if (isAsBefore(previous.entry, entry)) return previous.entries;
  const steady = steadyFrom(body.changedAsOf, mark, [previous]);
  return [...previous.entries, { entry, steady }].slice(-ENTRIES_KEPT);
}

/** The entries of other scopes, which may have been contrary. */
function contraryEntries(parts: readonly ObservedPart[]): readonly string[] {
  const observed = parts.flatMap(({ entries }) => entries.filter(({ entry }) => entry !== null));
  return observed.map(({ steady }) => steady.evidence);
}

/** An entry with another generation that is not behind is the same for the running contract. */
function isAsBefore(before: ServiceEntry | null, entry: ServiceEntry | null): boolean {
  if (before === null || entry === null) return before === entry;
  return (
    isBehind(before) === isBehind(entry) && sameEntry({ ...before, generation: entry.generation }, entry)
  );
}

/**
 * A report with an instance that could not be judged, or that did not cover it, did not show the contract satisfied: for
 * that stamp, stability is counted from the first report after it. A service has few stamps at a time: the newest are
 * kept.
 */
function clearedBy(
  body: ObservedBody,
  mark: Mark,
  replaced: readonly ObservedPart[],
  uncovered: readonly Instance[],
): readonly Cleared[] {
  const opaque = body.instances.filter(isOpaque);
  const earlier = replaced.flatMap(({ cleared }) => cleared);
  const fresh = [...replaced.flatMap(({ instances }) => instances.filter(isOpaque)), ...uncovered];
  if (earlier.length === 0 && fresh.length === 0) return [];
  const cleared: Cleared[] = [];
  for (const { revision, attempt, template } of fresh) {
    const stamp = { revision, attempt, template };
    if (!cleared.some((c) => sameStamp(c, stamp)))
      cleared.push({ ...stamp, steady: steadyFrom(body.changedAsOf, mark, replaced) });
  }
  for (const c of earlier) if (!cleared.some((d) => sameStamp(c, d))) cleared.push(c);
  return cleared.slice(0, CLEARED_KEPT).filter((c) => !opaque.some((i) => sameStamp(c, i)));
}

const isOpaque = (i: Instance) => isCounted(i) && opaquenessOf(i) !== null;

/** Compares everything that the running contract reads; a restart between two reports is a change (F74). */
export function sameCondition(a: Instance, b: Instance): boolean {
  return (
    a.revision === b.revision &&
    a.attempt === b.attempt &&
    a.template === b.template &&
    a.artifact === b.artifact &&
    a.phase === b.phase &&
    /* mutant: readiness-counts */ a.ready === b.ready &&
    /* mutant: restarts-count */ a.restarts === b.restarts &&
    (a.reason ?? null) === (b.reason ?? null) &&
    (a.restlessSince == null) === (b.restlessSince == null) &&
    sameDetails(a.details, b.details) &&
    sameContainers(a.containers.filter(isJudged), b.containers.filter(isJudged))
  );
}

function sameDetails(a: Instance['details'], b: Instance['details']): boolean {
  if (a == null || b == null) return (a ?? null) === (b ?? null);
  return (
    a.port === b.port &&
    a.status === b.status &&
    a.exitCode === b.exitCode &&
    a.container === b.container &&
    a.listens?.join() === b.listens?.join() &&
    a.labels?.join() === b.labels?.join()
  );
}

export function sameContainers(a: Instance['containers'], b: Instance['containers']): boolean {
  return (
    a.length === b.length &&
    a.every((c, i) => {
      const d = b[i];
      return c.name === d?.name && c.kind === d.kind && c.ready === d.ready && c.restarts === d.restarts;
    })
  );
}

export function sameEntry(a: ServiceEntry | null, b: ServiceEntry | null): boolean {
  if (a === null || b === null) return a === b;
  return (
    a.route?.answers === b.route?.answers &&
    a.route?.revision === b.route?.revision &&
    a.route?.attempt === b.route?.attempt &&
    (a.route?.by ?? null) === (b.route?.by ?? null) &&
    (a.route?.reason ?? null) === (b.route?.reason ?? null) &&
    a.route?.certificate?.notAfter === b.route?.certificate?.notAfter &&
    a.route?.certificate?.endsSoon === b.route?.certificate?.endsSoon &&
    a.generation?.desired === b.generation?.desired &&
    a.generation?.observed === b.generation?.observed &&
    (a.template ?? null) === (b.template ?? null) &&
    (a.replicas ?? null) === (b.replicas ?? null) &&
    (a.job ?? null) === (b.job ?? null) &&
    (a.jobBefore ?? null) === (b.jobBefore ?? null) &&
    (a.isOver ?? false) === (b.isOver ?? false) &&
    (a.changeWaits ?? false) === (b.changeWaits ?? false) &&
    a.heldBack?.declared === b.heldBack?.declared &&
    a.heldBack?.kept === b.heldBack?.kept &&
    a.heldBack?.ready === b.heldBack?.ready &&
    (a.reason ?? null) === (b.reason ?? null) &&
    (a.contradiction ?? null) === (b.contradiction ?? null) &&
    (a.workload?.uid ?? null) === (b.workload?.uid ?? null) &&
    (a.workload?.managedBy ?? null) === (b.workload?.managedBy ?? null)
  );
}

/** The deadline of an attempt that ran and broke starts when it broke: progress does not restart it. */
function isBroken({ revisions }: Proven, { revision, attempt }: Judged): boolean {
  const found = revisions.find((r) => r.revision === revision)?.attempt;
  if (found === undefined || found.attempt !== attempt || found.broken === null) return false;
  return found.held === null || compareDigits(found.held.position, found.broken.position) < 0;
}

/**
 * Observation deadlines count neither silence nor time in which nothing but the window was missing. A restart of the clock
 * drops the silences before it, but not the one that ends now: that may reach back to the start of an attempt that was
 * never observed before. The first judgement of all restarts nothing: the clock goes on since the apply.
 */
function silencesAfter(
  proven: Proven,
  body: ObservedBody,
  mark: Mark,
): Pick<Observed, 'silences' | 'lastJudged'> {
  const { observed } = proven;
  const contract = body.judged?.contract ?? 'opaque';
  const lastJudged = contract === 'opaque' ? observed.lastJudged : contract;
  if (lastJudged === 'held') return { silences: [], lastJudged };
  const comesFurther = body.judged?.progress?.known === false && !isBroken(proven, body.judged);
  const turns = observed.lastJudged !== null && lastJudged !== observed.lastJudged;
  const restarts = comesFurther || turns;
  const own = [body.silentSince, body.pausedSince ?? null].flatMap((from) =>
    from === null ? [] : [{ from, to: mark.at, evidence: mark.id }],
  );
  const doubts = (body.inDoubt ?? []).map((doubt) => ({ ...doubt, evidence: mark.id }));
  const silences = [...(restarts ? [] : observed.silences), ...own, ...doubts];
  const [a, b, ...rest] = silences;
  if (silences.length <= SILENCES_KEPT || a === undefined || b === undefined) return { silences, lastJudged };
  return { silences: [{ ...b, from: a.from }, ...rest], lastJudged };
}

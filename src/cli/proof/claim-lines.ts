import type { InstanceView } from '../../contract/answers/views.ts';
import type { Claim } from '../../contract/claim.ts';
import { exitsOfInstances } from '../../contract/presentation/exit-count.ts';
import { titleAndMore, whoseMove } from '../../contract/presentation/moves.ts';
import { ago, span } from '../../contract/presentation/times.ts';
import { wordOf } from '../../contract/presentation/words.ts';
import {
  besideEachOther,
  podReasons,
  type WorkloadView,
  warningSentence,
  witnesses,
  workloadSentence,
} from '../../contract/presentation/workload.ts';
import { fitted, type StyledLine, wrap } from './line.ts';
import { markOf, nextLines } from './proof-lines.ts';

/** The facts that `status` shows beside a claim. */
interface ClaimSurroundings {
  readonly urls: readonly string[];
  readonly instances: readonly InstanceView[];
  /** In observe mode, and only of now. */
  readonly workload: WorkloadView | null;
  /** The line of its output that says why it failed, where one was found. */
  readonly headline?: string | null;
}

/** One claim for `status`: the state, its message, what serves, whose move it is. */
export function claimLines(
  claim: Claim,
  { urls, instances, workload, headline = null }: ClaimSurroundings,
  width: number,
): StyledLine[] {
  const now = Date.parse(claim.now);
  const { desired, serving, freshness, queued, lastKnown } = claim;
  const [glyph, tone] = markOf(claim.state);
  const lines: StyledLine[] = [
    [
      [claim.service, 'strong'],
      [`  r${desired.revision} · attempt ${desired.attempt}  `],
      [glyph, tone],
      [` ${wordOf(claim.state)}`, tone],
      [`  for ${span(now - Date.parse(claim.since))}`, 'quiet'],
    ],
    ...block(titleAndMore(claim), width),
    ...(headline === null ? [] : wrap(headline, width - 4).map(causeLine)),
    ...block(whoseMove(claim), width),
  ];
  const facts = [
    ...(freshness.asOf === null ? [] : [`newest evidence ${ago(now - Date.parse(freshness.asOf))}`]),
    ...(lastKnown === null ? [] : [`last known ${wordOf(lastKnown.state)}, ${ago(lastKnown.ageMs)}`]),
    ...(serving === null
      ? []
      : [`serving r${serving.revision} (seen ${ago(now - Date.parse(serving.asOf))})`]),
    ...nothingOrLast(claim),
    ...exited(claim, instances),
    ...workloadLines(claim, workload, instances).flatMap((fact) => hanging(fact, width - 2)),
    ...queued.map(({ revision, actor }) => `r${revision} of ${actor} waits behind it`),
    ...urls,
  ];
  lines.push(...facts.map((fact): StyledLine => [['  '], [fact, 'quiet']]));
  lines.push(...nextLines(claim, '  '));
  return lines.map((line) => fitted(line, width));
}

/** Nothing serves, where that is proven; else what did when it was last seen. */
function nothingOrLast({ lastServing, nothingServes, desired, now }: Claim): string[] {
  if (nothingServes !== undefined) {
    const seen = Date.parse(now) - Date.parse(nothingServes.asOf);
    const age = nothingServes.validUntil === null ? '' : ` (seen ${ago(seen)})`;
    return desired.replicas === 0 ? [] : [`nothing serves${age}`];
  }
  if (lastServing === null) return [];
  return [`r${lastServing.revision} was serving when last seen, ${ago(lastServing.ageMs)}`];
}

/** Declared beside observed, the word it rests on, and warnings; what is not known now is only the last known. */
function workloadLines(
  { state, desired, now }: Claim,
  workload: WorkloadView | null,
  instances: readonly InstanceView[],
): string[] {
  if (workload === null) return [];
  const observed = state === 'unknown' ? 'last observed' : 'observed';
  const words = witnesses(instances);
  return [
    workloadSentence(workload),
    ...besideEachOther(workload, desired.revision).map(
      (row) => `${row.what.toLowerCase()}: declared ${row.declared}; ${observed} ${row.observed}`,
    ),
    ...podReasons(instances),
    ...(words.length === 0 ? [] : [`on the word of: ${words.join('; ')}`]),
    ...(workload.warnings ?? []).map((one) => `warning: ${warningSentence(one, Date.parse(now))}`),
  ];
}

/**
 * A running service may have exited before: `running` speaks of now, so exits are shown beside it (S1).
 */
function exited({ desired, cause }: Claim, instances: readonly InstanceView[]): string[] {
  // The sentence above says it.
  if (cause?.params.exits !== undefined) return [];
  const words = exitsOfInstances(instances.filter(({ revision }) => revision === desired.revision));
  return words === null ? [] : [`${words} (r${desired.revision})`];
}

const causeLine = (text: string): StyledLine => [
  ['  │ ', 'quiet'],
  [text, 'strong'],
];

/** Its further lines stand in: what a warning says is at its end. */
function hanging(text: string, width: number): string[] {
  const [first = '', ...rest] = wrap(text, width - 2);
  return [first, ...rest.map((line) => `  ${line}`)];
}

const block = (text: string, width: number) =>
  wrap(text, width - 2).map((line): StyledLine => [['  '], [line]]);

import type { InstanceView } from '../../contract/answers/views.ts';
import type { Claim } from '../../contract/claim.ts';
import { statement, whoseMove } from '../../contract/presentation/moves.ts';
import { ago, span } from '../../contract/presentation/times.ts';
import { wordOf } from '../../contract/presentation/words.ts';
import { fitted, type StyledLine, wrap } from './line.ts';
import { nextCommandLine } from './next-step.ts';
import { markOf } from './proof-lines.ts';

/** One claim for `status`: the state, its message, what serves, whose move it is. */
export function claimLines(
  claim: Claim,
  { urls, instances }: { readonly urls: readonly string[]; readonly instances: readonly InstanceView[] },
  width: number,
): StyledLine[] {
  const now = Date.parse(claim.now);
  const { desired, serving, lastServing, freshness, queued, lastKnown } = claim;
  const [glyph, tone] = markOf(claim.state);
  const lines: StyledLine[] = [
    [
      [claim.service, 'strong'],
      [`  r${desired.revision} · attempt ${desired.attempt}  `],
      [glyph, tone],
      [` ${wordOf(claim.state)}`, tone],
      [`  for ${span(now - Date.parse(claim.since))}`, 'quiet'],
    ],
    ...block(`${claim.message.title}. ${statement(claim)}`, width),
    ...block(whoseMove(claim), width),
  ];
  const facts = [
    ...(freshness.asOf === null ? [] : [`newest evidence ${ago(now - Date.parse(freshness.asOf))}`]),
    ...(lastKnown === null ? [] : [`last known ${wordOf(lastKnown.state)}, ${ago(lastKnown.ageMs)}`]),
    ...(serving === null
      ? []
      : [`serving r${serving.revision} (seen ${ago(now - Date.parse(serving.asOf))})`]),
    ...(lastServing === null
      ? []
      : [`r${lastServing.revision} was serving when last seen, ${ago(lastServing.ageMs)}`]),
    ...restarted(claim, instances),
    ...queued.map(({ revision, actor }) => `r${revision} of ${actor} waits behind it`),
    ...urls,
  ];
  lines.push(...facts.map((fact): StyledLine => [['  '], [fact, 'quiet']]));
  const command = nextCommandLine(claim);
  if (command !== null) lines.push([['  next: '], [command, 'strong']]);
  return lines.map((line) => fitted(line, width));
}

/**
 * A running service may have restarted before: `running` speaks of now, so restarts are shown beside it (S1).
 */
function restarted({ desired }: Claim, instances: readonly InstanceView[]): string[] {
  const own = instances.filter(({ revision }) => revision === desired.revision);
  const times = own.reduce((sum, { restarts }) => sum + restarts, 0);
  if (times === 0) return [];
  return [`ended and was started again ${times === 1 ? 'once' : `${times} times`} in r${desired.revision}`];
}

const block = (text: string, width: number) =>
  wrap(text, width - 2).map((line): StyledLine => [['  '], [line]]);

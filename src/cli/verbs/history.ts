import type { RevisionView } from '../../contract/answers/views.ts';
import { commit } from '../../contract/presentation/about.ts';
import { gapSentence } from '../../contract/presentation/gap.ts';
import { span } from '../../contract/presentation/times.ts';
import { imagesOf, leftBy, shortCommit } from '../../contract/presentation/workload.ts';
import type { Outcome } from '../../contract/vocabulary.ts';
import { type ContextOptions, inContext } from '../context.ts';
import { EXIT } from '../proof/exit-code.ts';
import type { Tone } from '../proof/line.ts';
import { type Cell, type TableStyle, table } from '../table.ts';
import { printedInstant } from './instant.ts';

interface HistoryOptions extends ContextOptions {
  readonly limit: number;
}

/** `evident history`: revisions, newest first, with actor, commit, outcome and duration. */
export function runHistory(ref: string, options: HistoryOptions): Promise<void> {
  return inContext(options, ref, async (context) => {
    const items = await context.people.revisions(ref, options.limit);
    await context.print(items, (wide) => historyTable(items, wide, context.list(wide)));
    return EXIT.cameTrue;
  });
}

/**
 * Newest first. A gap left by a restore stands above the revision that was the newest on record then (F54).
 */
export function historyTable(items: readonly RevisionView[], wide: boolean, style?: TableStyle): string {
  const head = ['REVISION', 'KIND', 'OUTCOME', 'TOOK', 'WHEN', 'WHO', 'COMMIT', 'FROM'];
  // A workload of another tool shows its images as its source; ours has none that fits a column.
  const isObserved = items.some(({ provenance }) => provenance !== null);
  const heads = isObserved ? head : head.slice(0, -1);
  const [heading = '', ...lines] = table(
    wide ? [...heads, 'REPLICAS', 'ARTIFACT', 'STAGES', 'MESSAGE'] : heads,
    items.flatMap((item) =>
      item.attempts.toReversed().map((_, i, all) => rowOf(item, all.length - 1 - i, { wide, isObserved })),
    ),
    style,
  ).split('\n');
  const rows = items.flatMap(({ recoveries, attempts }) => [
    ...recoveries.toReversed().map(gapSentence),
    ...lines.splice(0, attempts.length),
  ]);
  return [heading, ...rows].join('\n');
}

const OUTCOME_TONES: Readonly<Record<Outcome, Tone>> = {
  in_progress: 'busy',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'quiet',
  superseded: 'quiet',
  abandoned: 'doubt',
};

function rowOf(
  item: RevisionView,
  index: number,
  { wide, isObserved }: { readonly wide: boolean; readonly isObserved: boolean },
): Cell[] {
  const { revision, kind, actor, git, artifact, replicas, attempts, provenance } = item;
  const attempt = attempts[index];
  if (attempt === undefined) return [];
  const { outcome, startedAt, endedAt, stages } = attempt;
  const took = endedAt === null ? 'in progress' : span(Date.parse(endedAt) - Date.parse(startedAt));
  const row: Cell[] = [
    `r${revision}${attempts.length > 1 ? `.${attempt.attempt}` : ''}`,
    kind,
    [outcome.replaceAll('_', ' '), OUTCOME_TONES[outcome]],
    took,
    printedInstant(startedAt),
    provenance?.managedBy ?? actor,
    provenance?.commit != null ? shortCommit(provenance.commit) : git === null ? '-' : commit(git),
    ...(isObserved ? [fromOf(provenance)] : []),
  ];
  if (!wide) return row;
  const spent = stages.map(({ stage, ms }) => `${stage} ${span(ms)}`).join(', ');
  return [...row, String(replicas), artifact ?? '-', spent || '-', git?.message?.split('\n')[0] ?? '-'];
}

/** The images, and what else the tool left: `shop/web:2 (release web (web-1.4.2), written by helm)`. */
function fromOf(provenance: RevisionView['provenance']): string {
  if (provenance === null) return '-';
  const left = leftBy({ ...provenance, commit: null });
  return `${imagesOf(provenance.images)}${left.length === 0 ? '' : ` (${left.join(', ')})`}`;
}

import type { RevisionView } from '../../contract/answers/views.ts';
import { commit } from '../../contract/presentation/about.ts';
import { gapSentence } from '../../contract/presentation/gap.ts';
import { span } from '../../contract/presentation/times.ts';
import { type ContextOptions, inContext } from '../context.ts';
import { EXIT } from '../proof/exit-code.ts';
import { table } from '../table.ts';
import { printedInstant } from './instant.ts';

interface HistoryOptions extends ContextOptions {
  readonly limit: number;
}

/** `evident history`: revisions, newest first, with actor, commit, outcome and duration. */
export function runHistory(ref: string, options: HistoryOptions): Promise<void> {
  return inContext(options, ref, async (context) => {
    const items = await context.people.revisions(ref, options.limit);
    await context.print(items, (wide) => historyTable(items, wide));
    return EXIT.cameTrue;
  });
}

/**
 * Newest first. A gap left by a restore stands above the revision that was the newest on record then (F54).
 */
export function historyTable(items: readonly RevisionView[], wide: boolean): string {
  const head = ['REVISION', 'KIND', 'OUTCOME', 'TOOK', 'WHEN', 'WHO', 'COMMIT'];
  const [heading = '', ...lines] = table(
    wide ? [...head, 'REPLICAS', 'ARTIFACT', 'STAGES', 'MESSAGE'] : head,
    items.flatMap((item) =>
      item.attempts.toReversed().map((_, i, all) => rowOf(item, all.length - 1 - i, wide)),
    ),
  ).split('\n');
  const rows = items.flatMap(({ recoveries, attempts }) => [
    ...recoveries.toReversed().map(gapSentence),
    ...lines.splice(0, attempts.length),
  ]);
  return [heading, ...rows].join('\n');
}

function rowOf(item: RevisionView, index: number, wide: boolean): string[] {
  const { revision, kind, actor, git, artifact, replicas, attempts } = item;
  const attempt = attempts[index];
  if (attempt === undefined) return [];
  const { outcome, startedAt, endedAt, stages } = attempt;
  const took = endedAt === null ? 'in progress' : span(Date.parse(endedAt) - Date.parse(startedAt));
  const row = [
    `r${revision}${attempts.length > 1 ? `.${attempt.attempt}` : ''}`,
    kind,
    outcome.replaceAll('_', ' '),
    took,
    printedInstant(startedAt),
    actor,
    git === null ? '-' : commit(git),
  ];
  if (!wide) return row;
  const spent = stages.map(({ stage, ms }) => `${stage} ${span(ms)}`).join(', ');
  return [...row, String(replicas), artifact ?? '-', spent || '-', git?.message?.split('\n')[0] ?? '-'];
}

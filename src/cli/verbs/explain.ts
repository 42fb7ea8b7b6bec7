import type { EvidenceView } from '../../contract/answers/views.ts';
import { type CliContext, type ContextOptions, inContext } from '../context.ts';
import { EXIT } from '../proof/exit-code.ts';
import { type Line, wrap } from '../proof/line.ts';
import { type Chapter, explained } from './explain-claim.ts';

/** `evident explain`, of now or with `--at` of an instant before: the claim, and what it stands on, in sentences. */
export function runExplain(ref: string, options: ContextOptions & { readonly at?: string }): Promise<void> {
  return inContext(options, ref, async (context) => {
    const claim = await context.people.status(ref, options.at ?? null);
    // Operators may read the evidence itself; for others its ids are all there is.
    const evidence = claim.operator === undefined ? null : await evidenceOf(context, ref);
    const seen = await context.people.instances(ref, options.at ?? null).catch(() => null);
    const chapters = explained(claim, evidence, seen);
    await context.print({ ...claim, explanation: chapters }, () => pageOf(chapters, context));
    return EXIT.cameTrue;
  });
}

/** A service of years has more than is worth reading for this; what is cited beyond it is told by its id. */
const READ = 5_000;

const evidenceOf = (context: CliContext, ref: string): Promise<EvidenceView[] | null> =>
  context.people.evidence(ref, null, READ).catch(() => null);

function pageOf(chapters: readonly Chapter[], { width, paint }: CliContext): string {
  return chapters
    .map(({ title, sentences }) => {
      const lines = sentences.flatMap((text) => {
        const indent = text.startsWith('  ') ? '    ' : '  ';
        return wrap(text, width - indent.length).map((line): Line => [[indent], [line]]);
      });
      return [paint([[title, 'strong']]), ...lines.map(paint)].join('\n');
    })
    .join('\n\n');
}

import type { People } from '../../client/people.ts';
import type { EvidenceView } from '../../contract/answers/views.ts';
import { type CliContext, type ContextOptions, inContext } from '../context.ts';
import { EXIT } from '../proof/exit-code.ts';
import { type StyledLine, wrap } from '../proof/line.ts';
import { type Chapter, explainClaim } from './explain-claim.ts';

/** `evident explain`, of now or with `--at` of a past instant: the claim and its evidence in sentences. */
export function runExplain(ref: string, options: ContextOptions & { readonly at?: string }): Promise<void> {
  return inContext(options, ref, async (context) => {
    const { claim, instances } = await claimWithInstances(context.people, ref, options.at ?? null);
    // Operators may read the evidence itself; others get only its ids.
    const evidence = claim.operator === undefined ? null : await evidenceOf(context, ref);
    const chapters = explainClaim(claim, evidence, instances);
    await context.print({ ...claim, explanation: chapters }, () => pageOf(chapters, context));
    return EXIT.cameTrue;
  });
}

/**
 * The claim, and the instances as they were at its instant: those of a moment later may say the opposite of it, as of an
 * app that goes up and down. Null where they cannot be read.
 */
export async function claimWithInstances(
  people: Pick<People, 'status' | 'instances'>,
  ref: string,
  at: string | null,
) {
  const claim = await people.status(ref, at);
  return { claim, instances: await people.instances(ref, at ?? claim.now).catch(() => null) };
}

/** Limits how much evidence of an old service is read; older cited evidence is shown by its id. */
const READ = 5_000;

const evidenceOf = (context: CliContext, ref: string): Promise<EvidenceView[] | null> =>
  context.people.evidence(ref, null, READ).catch(() => null);

function pageOf(chapters: readonly Chapter[], { width, paint }: CliContext): string {
  return chapters
    .map(({ title, sentences }) => {
      const lines = sentences.flatMap((text) => {
        const indent = text.startsWith('  ') ? '    ' : '  ';
        return wrap(text, width - indent.length).map((line): StyledLine => [[indent], [line]]);
      });
      return [paint([[title, 'strong']]), ...lines.map(paint)].join('\n');
    })
    .join('\n\n');
}

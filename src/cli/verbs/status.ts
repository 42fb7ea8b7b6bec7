import { type ContextOptions, inContext } from '../context.ts';
import { claimLines } from '../proof/claim-lines.ts';
import { EXIT } from '../proof/exit-code.ts';
import { outputOfFailed } from '../proof/failure-output.ts';

/** `evident status`: prints the claim; exits 0 if there was an answer, whatever it says. */
export function runStatus(ref: string, options: ContextOptions & { readonly at?: string }): Promise<void> {
  return inContext(options, ref, async (context) => {
    const { people, width, paint } = context;
    const at = options.at ?? null;
    const claim = await people.status(ref, at);
    const instances = context.forPeople ? await people.instances(ref, at) : [];
    const { urls, workload } =
      context.forPeople && at === null ? await people.service(ref) : { urls: [], workload: null };
    const failure =
      context.forPeople && at === null ? await outputOfFailed(context, ref, claim, claim.desired) : null;
    const headline = failure?.headline ?? null;
    await context.print(claim, () =>
      claimLines(claim, { urls, instances, workload, headline }, width).map(paint).join('\n'),
    );
    return EXIT.cameTrue;
  });
}

import { atDesk, type DeskOptions } from '../context.ts';
import { claimLines } from '../proof/claim-lines.ts';
import { EXIT } from '../proof/exit-code.ts';

/** `evident status`: the claim; 0 if there was an answer, whatever it says. */
export function runStatus(ref: string, options: DeskOptions & { readonly at?: string }): Promise<void> {
  return atDesk(options, ref, async (desk) => {
    const { people, width, paint } = desk;
    const at = options.at ?? null;
    const claim = await people.status(ref, at);
    const instances = desk.forPeople ? await people.instances(ref, at) : [];
    const urls = desk.forPeople && at === null ? (await people.service(ref)).urls : [];
    await desk.print(claim, () => claimLines(claim, { urls, instances }, width).map(paint).join('\n'));
    return EXIT.cameTrue;
  });
}

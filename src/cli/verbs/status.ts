import { atDesk, type DeskOptions } from '../desk.ts';
import { claimLines } from '../proof/claim-lines.ts';
import { EXIT } from '../proof/exit-code.ts';

/** `evident status`: the claim; 0 if there was an answer, whatever it says. */
export function runStatus(ref: string, options: DeskOptions & { readonly at?: string }): Promise<void> {
  return atDesk(options, ref, async (desk) => {
    const { people, width, paint } = desk;
    const claim = await people.status(ref, options.at ?? null);
    const urls = desk.forPeople && options.at === undefined ? (await people.service(ref)).urls : [];
    await desk.print(claim, () => claimLines(claim, urls, width).map(paint).join('\n'));
    return EXIT.cameTrue;
  });
}

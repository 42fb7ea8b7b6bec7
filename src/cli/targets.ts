import { type ContextOptions, inContext } from './context.ts';
import { EXIT } from './proof/exit-code.ts';

export interface RetireOptions extends ContextOptions {
  readonly identity: string;
  readonly reason: string;
}

/** `evident targets retire`: what ran in the former place counts as gone from then on, on the operator's word. */
export function retireTarget(target: string, options: RetireOptions): Promise<void> {
  const { identity, reason } = options;
  return inContext(options, null, async (context) => {
    const retired = await context.people.retirePlace(target, { identity, reason });
    await context.print(
      retired,
      () =>
        `${identity} is retired: what runs at ${target} is judged by the new place alone, and ${identity} may not register again.`,
    );
    return EXIT.cameTrue;
  });
}

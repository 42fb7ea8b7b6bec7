import { createInterface } from 'node:readline/promises';
import { isManagedElsewhere } from '../../contract/actions.ts';
import type { ActionAnswer } from '../../contract/answers/views.ts';
import { type CliContext, type ContextOptions, inContext } from '../context.ts';
import { UsageError } from '../print-problem.ts';
import { EXIT } from '../proof/exit-code.ts';
import { printAccepted, type WaitOptions, waitFor } from '../proof/wait.ts';
import { effectLines, printDryRun } from './show-effect.ts';

interface ActOptions extends ContextOptions, WaitOptions {
  readonly detach?: boolean;
  readonly dryRun?: boolean;
}

/**
 * The named repairs. Each sends one request and then, unless detached, watches until the attempt is settled.
 */
function act(
  ref: string,
  options: ActOptions,
  ask: (context: CliContext) => Promise<ActionAnswer>,
): Promise<void> {
  return inContext(options, ref, async (context) => {
    const acted = await ask(context);
    if (options.dryRun)
      return printDryRun(context, acted, `This would make r${acted.revision} of ${acted.service}.`);
    return options.detach ? printAccepted(context, acted) : waitFor(context, acted, options);
  });
}

export const runRollback = (ref: string, options: ActOptions & { readonly to?: number }) =>
  act(ref, options, async (context) => {
    const acted = await context.people.rollback(ref, options.to ?? null, options.dryRun === true);
    if (!options.dryRun) for (const line of effectLines(acted)) context.note(line);
    return acted;
  });

export const runRetry = (ref: string, options: ActOptions) =>
  act(ref, options, ({ people }) => people.retry(ref));

export const runRestart = (ref: string, options: ActOptions) =>
  act(ref, options, ({ people }) => people.restart(ref));

export const runScale = (ref: string, replicas: number, options: ActOptions) =>
  act(ref, options, ({ people }) => people.scale(ref, replicas));

interface CancelOptions extends ContextOptions {
  readonly revision?: number;
}

/** A cancel only promises that it is recorded; the claim shows when the work has ended. */
export function runCancel(ref: string, options: CancelOptions): Promise<void> {
  return inContext(options, ref, async (context) => {
    const acted = await context.people.cancel(ref, options.revision ?? null);
    const { service, revision, claim } = acted;
    await context.print(
      acted,
      () =>
        `The cancel of ${service} r${revision} is recorded. ${claim.message.title}.\nSee how it ends: evident watch ${service}`,
    );
    return EXIT.cameTrue;
  });
}

interface TeardownOptions extends ActOptions {
  readonly force?: boolean;
  readonly reason?: string;
  readonly yes?: boolean;
}

export function runTeardown(ref: string, options: TeardownOptions): Promise<void> {
  const { force, reason, yes } = options;
  return inContext(options, ref, async (context) => {
    if (force && !reason) throw new UsageError('Say why: --force needs --reason, which is kept on record.');
    if (reason && !force) throw new UsageError('--reason goes with --force.');
    if (options.dryRun) {
      const planned = await context.people.teardown(ref, force ? { reason: reason ?? '' } : null, true);
      await context.print({ dryRun: true, ...planned }, () => tearsDown(planned));
      return EXIT.cameTrue;
    }
    if (
      !yes &&
      !(force && !process.stdin.isTTY) &&
      !(await confirmed(context, `Tear down ${ref}? Everything that runs of it is removed. [y/N] `))
    ) {
      process.stderr.write('Nothing was changed.\n');
      return EXIT.cancelled;
    }
    const acted = await context.people.teardown(ref, force ? { reason: reason ?? '' } : null);
    // A service that another tool manages is torn down there: Evident has no revision to wait for.
    if (isManagedElsewhere(acted.claim.actions)) return offTheLists(context, acted);
    return options.detach ? printAccepted(context, acted) : waitFor(context, acted, options);
  });
}

const tearsDown = ({ service, revision }: ActionAnswer) =>
  `This would tear down ${service}, as r${revision}: all that runs of it is removed, and its configuration forgotten. Nothing was done.`;

async function offTheLists(context: CliContext, acted: ActionAnswer): Promise<number> {
  await context.print(
    acted,
    () =>
      `${acted.service} is off the lists. Another tool manages it: nothing was told to stop, and it is still observed.`,
  );
  return EXIT.cameTrue;
}

/** Asks on a terminal. A script says `--yes`: nothing is torn down by a variable that was empty. */
async function confirmed(context: CliContext, question: string): Promise<boolean> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true)
    throw new UsageError('There is no terminal to ask on. Add --yes to tear it down.');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  // On a terminal in raw mode Ctrl-C is a key and no signal.
  asking.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return /^y(es)?$/i.test((await asking.question(question, { signal: context.signal })).trim());
  } finally {
    asking.close();
  }
}

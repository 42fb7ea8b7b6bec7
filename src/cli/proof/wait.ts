import { ProblemAnswer, Unreachable } from '../../client/client.ts';
import { GIVE_UP_AFTER_MS } from '../../client/events.ts';
import { isTransient } from '../../client/persist.ts';
import { repeat } from '../../client/repeat.ts';
import type { ActionAnswer } from '../../contract/answers/views.ts';
import type { Claim } from '../../contract/claim.ts';
import type { Stamp } from '../../contract/intent.ts';
import { aboutOf, buildResultOf, timeSpent } from '../../contract/presentation/about.ts';
import { serverNowOf } from '../../contract/presentation/server-contact.ts';
import type { CliContext } from '../context.ts';
import { BuildOutput } from './build-output.ts';
import { exitCodeOf } from './exit-code.ts';
import { failureOutput, isBuildFailure } from './failure-output.ts';
import { type Screen, screenFor } from './screen.ts';
import { applyEvent, isActive, type ProofView, proofViewOf, type SettledAttempt, settledBy } from './view.ts';

export interface WaitOptions {
  /** Time without an answer from any server after which waiting ends. */
  readonly giveUpAfter?: number;
}

/**
 * After an action: shows the proof line until the attempt is settled, prints the claim, and returns the exit
 * code.
 */
export async function waitFor(
  context: CliContext,
  acted: ActionAnswer,
  options: WaitOptions = {},
): Promise<number> {
  const { service, revision, attempt, claim } = acted;
  const view = await firstView(context, { revision, attempt }, claim, false, options);
  return finish(
    context,
    service,
    await followUntilSettled(context, service, view, screenFor(context), options),
  );
}

/** `--detach`: returns once the request is accepted. */
export async function printAccepted(context: CliContext, acted: ActionAnswer): Promise<number> {
  const { service, revision, attempt } = acted;
  await context.print(
    acted,
    () =>
      `${service} r${revision} attempt ${attempt} is accepted.\nSee how it goes: evident watch ${service}`,
  );
  return 0;
}

/**
 * Prints the settled claim: one object for a program, the view for a person, with `--quiet` a sentence if it
 * failed.
 */
export async function finish(context: CliContext, service: string, view: ProofView): Promise<number> {
  const { claim, settled } = view;
  if (settled === null) throw new Error('a view that is not settled has no end');
  const code = exitCodeOf(settled, claim);
  if (!context.forPeople) await context.print({ ...claim, settled }, () => '');
  else if (context.quiet && code !== 0)
    process.stderr.write(`${service} r${settled.revision}: ${settled.outcome}. ${claim.message.title}\n`);
  else if (code === 0 && !context.quiet) await printUrls(context, service, claim);
  return code;
}

async function printUrls(context: CliContext, service: string, claim: Claim): Promise<void> {
  if (claim.state !== 'running') return;
  // The attempt has succeeded; a server that is away by now does not change that.
  const urls = (await nullIfAway(context.people.service(service)))?.urls ?? [];
  if (urls.length > 0) console.log(`\n${urls.join('\n')}`);
}

/**
 * The view at the start of watching. A viewer that connects late takes the earlier steps from the attempt's
 * record.
 */
export async function firstView(
  context: CliContext,
  of: Stamp,
  claim: Claim,
  late: boolean,
  { giveUpAfter = GIVE_UP_AFTER_MS }: WaitOptions = {},
): Promise<ProofView> {
  const { people } = context;
  const requested = { revision: of.revision, attempt: of.attempt };
  context.onInterrupt = `${claim.service} r${requested.revision} goes on without you. Look again: evident watch ${claim.service}`;
  // The request is accepted, so a server that restarts just now is waited for, as the stream does.
  const read = () =>
    Promise.all([people.revision(claim.service, requested.revision), people.service(claim.service)]);
  const [revision, { spec }] = await repeat(read, {
    may: isTransient,
    forMs: giveUpAfter,
    signal: context.signal,
  }).catch(failWithWayBack(context));
  const view = proofViewOf(requested, aboutOf(revision, requested, spec), claim, performance.now());
  const record = revision.attempts.find(({ attempt }) => attempt === requested.attempt);
  if (!late || record === undefined) return view;
  const before = timeSpent(record.stages);
  const inStateMs = serverNowOf(view, performance.now()) - Date.parse(claim.since);
  if (record.endedAt === null && before[claim.state] !== undefined)
    before[claim.state] = Math.max(0, (before[claim.state] ?? 0) - inStateMs);
  return { ...view, before };
}

/**
 * Follows the service until the attempt is settled. The claim shows most outcomes; the attempt's record is
 * read for the others (it waited in the queue, or was superseded). The claim is also read with every `fresh`
 * event, so that a missed event delays the end by seconds and never hides it.
 */
export async function followUntilSettled(
  context: CliContext,
  service: string,
  first: ProofView,
  screen: Screen,
  { giveUpAfter }: WaitOptions,
): Promise<ProofView> {
  let view = first;
  const build = buildOutputOn(context, screen);
  const show = () => {
    build?.followWhileMade(view);
    screen.show(view);
  };
  const timer = setInterval(show, screen.everyMs);
  try {
    show();
    const looked = await look(context, service, view);
    const end = (settled: SettledAttempt) => ended(context, service, { ...view, settled }, screen, build);
    if (looked !== null) return await end(looked);
    const stream = context.people.watch(service, {
      signal: context.signal,
      after: view.claim.position,
      ...(giveUpAfter === undefined ? {} : { giveUpAfterMs: giveUpAfter }),
    });
    for await (const event of stream) {
      view = applyEvent(view, event, performance.now());
      screen.event(event);
      // A change within a state (a build step, the reason why it does not start) is announced by an early
      // `fresh`.
      if (event.event === 'fresh') view = await refreshClaim(context, service, view);
      view = await withBuildSteps(context, service, view, event.event === 'fresh');
      const settled = await look(context, service, view);
      if (settled !== null) return await end(settled);
      show();
    }
    context.signal.throwIfAborted();
    throw new Error('a stream ended that never ends');
  } catch (error) {
    screen.leave();
    return failWithWayBack(context)(error);
  } finally {
    clearInterval(timer);
    build?.stop();
  }
}

/** The output of a build, for a screen that shows it; else null. */
export const buildOutputOn = (context: CliContext, screen: Screen): BuildOutput | null =>
  screen.output === undefined ? null : new BuildOutput(context, screen.output.bind(screen));

/** Adds to the error that no server answers: the work goes on without this terminal, and how to follow it again. */
const failWithWayBack = (context: CliContext) => (error: unknown) => {
  if (error instanceof Unreachable)
    error.message = `${error.message.replace(/\.?$/, '.')} ${context.onInterrupt}`;
  throw error;
};

async function look(context: CliContext, service: string, view: ProofView): Promise<SettledAttempt | null> {
  const settled = settledBy(view);
  if (settled !== 'ask') return settled;
  const { revision, attempt } = view.requested;
  const record = await nullIfAway(context.people.attempt(service, revision, attempt));
  if (record === null || record.outcome === 'in_progress') return null;
  return { revision, attempt, outcome: record.outcome };
}

async function refreshClaim(context: CliContext, service: string, view: ProofView): Promise<ProofView> {
  const claim = await nullIfAway(context.people.status(service));
  return claim === null
    ? view
    : applyEvent(view, { event: 'claim', id: null, data: claim }, performance.now());
}

/** Build steps are on the revision's record, which is read while it builds and once when it is built. */
async function withBuildSteps(
  context: CliContext,
  service: string,
  view: ProofView,
  isTime: boolean,
): Promise<ProofView> {
  const { claim, about, requested } = view;
  if (!context.forPeople || !isActive(view) || !claim.path.some(({ state }) => state === 'building'))
    return view;
  const isOpen =
    claim.state === 'building' ? isTime : about.build.size === null && claim.desired.artifact !== null;
  const revision = isOpen ? await nullIfAway(context.people.revision(service, requested.revision)) : null;
  return revision === null
    ? view
    : { ...view, about: { ...about, build: buildResultOf(revision, requested) } };
}

/** The stream decides whether the server is there; a failed read beside it is ignored. */
async function nullIfAway<T>(requested: Promise<T>): Promise<T | null> {
  try {
    return await requested;
  } catch (error) {
    if (error instanceof Unreachable || (error instanceof ProblemAnswer && error.status >= 500)) return null;
    throw error;
  }
}

/** Shows the settled view with the claim of now and the log lines of a failure. */
async function ended(
  context: CliContext,
  service: string,
  view: ProofView,
  screen: Screen,
  build: BuildOutput | null,
): Promise<ProofView> {
  const claim = (await nullIfAway(context.people.status(service))) ?? view.claim;
  const last = {
    ...(await withBuildSteps(
      context,
      service,
      applyEvent(view, { event: 'claim', id: null, data: claim }, performance.now()),
      true,
    )),
    settled: view.settled,
  };
  if (isBuildFailure(last)) await build?.complete(service, last.requested);
  screen.end(last, context.forPeople ? await failureOutput(context, service, last) : null);
  return last;
}

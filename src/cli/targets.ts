import type { ObservationView } from '../contract/answers/views.ts';
import { similarName } from '../contract/presentation/similar-name.ts';
import { clockTime } from '../contract/presentation/times.ts';
import { type CliContext, type ContextOptions, inContext } from './context.ts';
import { UsageError } from './print-problem.ts';
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

export interface ObserveOptions extends ContextOptions {
  readonly namespace?: readonly string[];
  readonly selector?: string;
  readonly askApps?: boolean;
  readonly stop?: boolean;
}

/** `evident observe`: sets the rule of a target; its agent follows it from its next call on. */
export function observeTarget(target: string, options: ObserveOptions): Promise<void> {
  const { namespace = ['*'], selector = null, askApps = false, stop = false } = options;
  return inContext(options, null, async (context) => {
    if (stop && (options.namespace !== undefined || selector !== null || askApps))
      throw new UsageError('--stop ends the whole rule: leave out --namespace, --selector and --ask-apps.');
    const rule = stop
      ? await context.people.stopObserving(target)
      : await context.people.observe(target, { namespaces: namespace, selector, ask: askApps });
    const hint = stop ? null : noAgentHint(target, await targetsWithAgents(context));
    await context.print(rule, () => [ruleWords(rule), ...(hint === null ? [] : [hint])].join('\n'));
    return EXIT.cameTrue;
  });
}

async function targetsWithAgents({ people }: CliContext): Promise<readonly string[]> {
  return (await people.agents()).map(({ target }) => target);
}

/** A rule may come before its agent, and a name may be mistyped: who set it sees which. */
export function noAgentHint(target: string, known: readonly string[]): string | null {
  if (known.includes(target)) return null;
  const meant = similarName(target, known);
  const others =
    known.length === 0 ? 'No target has one yet.' : `Targets with one: ${known.toSorted().join(', ')}.`;
  return `No agent has registered for ${target} yet, and nothing is seen before one does. ${meant === null ? others : `Did you mean ${meant}? If so, end this rule: evident observe ${target} --stop`}`;
}

function ruleWords({ target, version, namespaces, selector, ask, absent = [] }: ObservationView): string {
  if (namespaces === null)
    return `Nothing at ${target} is observed any more (version ${version}). What was observed stays in history.`;
  const where = namespaces.includes('*')
    ? 'in every namespace that its agent may read'
    : `in ${namespaces.join(', ')}`;
  const which = selector === null ? '' : ` with ${selector}`;
  const missing = absent.map(
    ({ namespace, asOf }) =>
      `\nNamespace ${namespace} does not exist in the cluster (as of ${clockTime(asOf)}).`,
  );
  return `Everything that other tools deploy at ${target} ${where}${which} is observed (version ${version})${ask ? ', and its agent asks the apps themselves' : ''}.${missing.join('')}\nIts services appear with the next report of its agent: evident services`;
}

import type { ObservationView } from '../contract/answers/views.ts';
import { clockTime } from '../contract/presentation/times.ts';
import { type ContextOptions, inContext } from './context.ts';
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
    await context.print(rule, () => ruleWords(rule));
    return EXIT.cameTrue;
  });
}

function ruleWords({ target, version, namespaces, selector, ask, absent = [] }: ObservationView): string {
  if (namespaces === null)
    return `Nothing at ${target} is observed any more (version ${version}). What was observed stays in history.`;
  const where = namespaces.includes('*') ? 'in all namespaces' : `in ${namespaces.join(', ')}`;
  const which = selector === null ? '' : ` with ${selector}`;
  const missing = absent.map(
    ({ namespace, asOf }) =>
      `\nNamespace ${namespace} does not exist in the cluster (as of ${clockTime(asOf)}).`,
  );
  return `Everything that other tools deploy at ${target} ${where}${which} is observed (version ${version})${ask ? ', and its agent asks the apps themselves' : ''}.${missing.join('')}\nIts services appear with the next report of its agent: evident services`;
}

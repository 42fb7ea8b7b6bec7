import type { AgentView, TargetView } from '../../../../src/contract/answers/views.ts';
import { heardAt, scopeTrouble, skew } from '../../../../src/contract/presentation/fleet.ts';
import { clockTime } from '../../../../src/contract/presentation/times.ts';
import type { RuntimeKind } from '../../../../src/contract/vocabulary.ts';

/** One thing to do at a target: why, and what, in the order in which it is done. */
export interface Advice {
  /** Silence comes first: while it lasts, nothing else about the target is known. */
  readonly weight: 'silent' | 'trouble' | 'note';
  /** For the row: a few words. */
  readonly brief: string;
  /** Several are numbered. */
  readonly steps: readonly AdviceStep[];
}

export interface AdviceStep {
  /** The imperative of a step among several, in bold: it is read before any command below it. */
  readonly lead: string | null;
  readonly text: string;
  /** The line that does it, and the place where it is run. */
  readonly command: { readonly line: string; readonly where: string } | null;
  /** Said below the command. */
  readonly after: string | null;
}

const step = (text: string, more: Partial<AdviceStep> = {}): AdviceStep => ({
  lead: null,
  text,
  command: null,
  after: null,
  ...more,
});

/** A clock that is off by more makes an agent's own instants useless to people who compare logs. */
const SKEW_MS = 5_000;

interface TargetStanding {
  readonly target: string;
  readonly runtime: RuntimeKind | null;
  readonly agent: AgentView | null;
  readonly notOnRecord: TargetView['notOnRecord'];
}

/** Everything to do at a target, the weightiest first; empty: nothing. */
export function advicesOf({ target, runtime, agent, notOnRecord }: TargetStanding): readonly Advice[] {
  if (agent === null) return [withoutAgent(target, runtime)];
  return [
    ...(agent.state === 'stale' ? [silent(agent, runtime)] : []),
    ...forbidden(agent),
    ...others(agent),
    ...skewed(agent),
    ...(notOnRecord.length === 0 ? [] : [unrecorded(notOnRecord)]),
  ];
}

const runLine = (target: string, runtime: RuntimeKind | null) =>
  `evident agent --target ${target}${runtime === null ? '' : ` --runtime ${runtime}`}`;

const atMachine = (target: string) => `Run on the machine that is ${target}:`;
const SIGNED_IN = 'Run on any machine where you are signed in:';
const withKubectl = (target: string) => `Run where kubectl reaches the cluster ${target}:`;

function withoutAgent(target: string, runtime: RuntimeKind | null): Advice {
  return {
    weight: 'silent',
    brief: 'No agent speaks for it',
    steps: [
      step('No agent has registered yet: nothing can be deployed, and nothing is seen.', {
        command: { line: runLine(target, runtime), where: atMachine(target) },
      }),
    ],
  };
}

/**
 * To look comes first, and stands above every command: a line to copy is what people take, and an agent that still runs must
 * not be started a second time.
 */
function silent(agent: AgentView, runtime: RuntimeKind | null): Advice {
  const { target } = agent;
  const at = heardAt(agent);
  const since = at === null ? 'It was never heard.' : `It is silent since ${clockTime(at)}.`;
  const same = 'From here, a stopped agent and a cut line look the same.';
  const steps =
    runtime === 'kubernetes'
      ? [
          step(`${since} ${same}`, {
            lead: 'Look at the agent’s pod.',
            command: { line: 'kubectl -n evident get pods', where: withKubectl(target) },
          }),
          step('Waiting is safe: one report, and what is known of this target is right again.', {
            lead: 'If the pod runs, look at its network.',
          }),
        ]
      : [
          step(`${since} ${same}`, { lead: `Look at ${target} itself: is it on, and is it on the network?` }),
          step('', {
            lead: 'Only if its agent has ended, start that again.',
            command: { line: runLine(target, runtime), where: atMachine(target) },
            after: 'It takes over what runs there.',
          }),
        ];
  return { weight: 'silent', brief: 'Silent', steps };
}

function forbidden({ target, scopes, observation }: AgentView): Advice[] {
  const denied = scopes.filter(({ unavailable }) => unavailable === 'forbidden');
  if (denied.length === 0) return [];
  const names = denied.map(({ scope }) => scopeName(scope)).join(', ');
  const namespaces = observation?.namespaces ?? ['*'];
  const flags = namespaces.includes('*') ? '' : namespaces.map((name) => ` --namespace ${name}`).join('');
  const missing = denied.map(troubleSentence).join(' ');
  return [
    {
      weight: 'trouble',
      brief: `Cannot read ${names}`,
      steps: [
        step(
          `${missing} What runs there is not known; the rest of ${target} is not affected. An admin of the cluster can grant it.`,
          {
            command: {
              line: `evident agent install --target ${target}${flags} | kubectl apply -f -`,
              where: withKubectl(target),
            },
          },
        ),
        ...withoutThem(target, names, scopes, observation),
      ],
    },
  ];
}

/** A role goes with its namespace: whoever deleted that wants its services off the list, and grants nothing. */
function withoutThem(
  target: string,
  names: string,
  scopes: AgentView['scopes'],
  rule: AgentView['observation'],
): AdviceStep[] {
  const others = scopes.filter(({ unavailable }) => unavailable !== 'forbidden').map(({ scope }) => scope);
  const namespaces = others.filter((scope) => scope.startsWith('ns/')).map((scope) => scope.slice(3));
  if (rule == null || namespaces.length === 0) return [];
  const flags = [
    ...namespaces.map((name) => `--namespace ${name}`),
    ...(rule.selector === null ? [] : [`--selector '${rule.selector}'`]),
    ...(rule.ask ? ['--ask-apps'] : []),
  ];
  return [
    step('', {
      lead: `Only if ${names} is no more, observe the others alone.`,
      command: { line: `evident observe ${target} ${flags.join(' ')}`, where: SIGNED_IN },
    }),
  ];
}

/** Scopes that do not answer, stand still or do not exist. */
function others({ target, scopes, state }: AgentView): Advice[] {
  const troubled = scopes.filter(
    (scope) =>
      scope.unavailable !== 'forbidden' && scopeTrouble(scope) !== null && !isSilentAlone(scope, state),
  );
  const absent = troubled.filter((scope) => scope.absent && scope.unavailable === null && !scope.stalled);
  const quiet = troubled.filter((scope) => !absent.includes(scope));
  return [
    ...(quiet.length === 0
      ? []
      : [
          {
            weight: 'trouble' as const,
            brief: `Does not see ${quiet.map(({ scope }) => scopeName(scope)).join(', ')}`,
            steps: [step(`${quiet.map(troubleSentence).join(' ')} Look at what the agent reads it from.`)],
          },
        ]),
    ...(absent.length === 0
      ? []
      : [
          {
            weight: 'note' as const,
            brief: `${capital(absent.map(({ scope }) => scopeName(scope)).join(', '))} does not exist`,
            steps: [
              step(`${absent.map(troubleSentence).join(' ')} Make it, or take it out of the rule.`, {
                command: {
                  line: `evident observe ${target}`,
                  where: SIGNED_IN,
                },
                after: 'Without a namespace the rule is about all of them.',
              }),
            ],
          },
        ]),
  ];
}

function skewed({ skewMs }: AgentView): Advice[] {
  if (skewMs === null || Math.abs(skewMs) < SKEW_MS) return [];
  return [
    {
      weight: 'note',
      brief: `Its clock is ${skew(skewMs)}`,
      steps: [
        step(
          `Its clock is ${skew(skewMs)} of the server’s. Set it by a time server. Claims go by the server’s clock.`,
        ),
      ],
    },
  ];
}

function unrecorded(services: readonly string[]): Advice {
  return {
    weight: 'note',
    brief: `${services.length === 1 ? services[0] : `${services.length} services`} not on record`,
    steps: [
      step(
        `${services.join(', ')} ${services.length === 1 ? 'runs' : 'run'} there under numbers of ours, and ${services.length === 1 ? 'is' : 'are'} not on record: deployed in what a restore has lost. Deploy again.`,
      ),
    ],
  };
}

/** A scope has no other trouble than that its agent is silent, which is said once. */
export const isSilentAlone = (scope: AgentView['scopes'][number], state: AgentView['state']): boolean =>
  state === 'stale' && scope.stalled && scope.unavailable === null;

const troubleSentence = (scope: AgentView['scopes'][number]): string =>
  `${capital(scopeName(scope.scope))} ${scopeTrouble(scope) ?? ''}.`;
const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** A scope as people name it: `ns/data` is the namespace data. */
export const scopeName = (scope: string): string =>
  scope.startsWith('ns/') ? `namespace ${scope.slice(3)}` : scope === '*' ? 'everything there' : scope;

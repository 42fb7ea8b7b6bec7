import type { AgentView, CommandView, WorkerView } from '../../../../src/contract/answers/views.ts';
import { targetOf } from '../../../../src/contract/names.ts';
import type { RuntimeKind } from '../../../../src/contract/vocabulary.ts';
import { type Advice, advicesOf } from './advice.ts';
import { type Fleet, fleetLists } from './fleet.ts';

/** Everything that the table says about one target. */
export interface TargetRowView {
  readonly target: string;
  readonly runtime: RuntimeKind | null;
  readonly agent: AgentView | null;
  readonly takes: WorkerView | null;
  readonly advices: readonly Advice[];
  readonly commands: readonly CommandView[];
  /** Agents of this target that a newer registration has fenced, for the history of silences. */
  readonly earlier: readonly AgentView[];
}

const WEIGHTS: readonly Advice['weight'][] = ['silent', 'trouble', 'note'];

/** One row per target: silent ones first, then those in trouble, then by name. */
export function targetRows(fleet: Fleet): readonly TargetRowView[] {
  const { agents, fenced } = fleetLists(fleet);
  const names = new Set([
    ...fleet.targets.map(({ target }) => target),
    ...agents.map(({ agent }) => agent.target),
  ]);
  const rows = [...names].map((target): TargetRowView => {
    const declared = fleet.targets.find((one) => one.target === target);
    const speaker = agents.find(({ agent }) => agent.target === target);
    const agent = speaker?.agent ?? null;
    const runtime = declared?.runtime ?? (agent?.observeOnly === true ? 'kubernetes' : null);
    return {
      target,
      runtime,
      agent,
      takes: speaker?.takes ?? null,
      advices: advicesOf({ target, runtime, agent, notOnRecord: declared?.notOnRecord ?? [] }),
      commands: fleet.commands.filter(
        ({ kind, service }) => kind !== 'build' && targetOf(service) === target,
      ),
      earlier: fenced.filter((one) => one.target === target),
    };
  });
  const rank = ({ advices }: TargetRowView) =>
    advices[0] === undefined ? WEIGHTS.length : WEIGHTS.indexOf(advices[0].weight);
  return rows.sort((a, b) => rank(a) - rank(b) || (a.target < b.target ? -1 : 1));
}

const PLACES: Readonly<Record<RuntimeKind, string>> = {
  process: 'processes',
  container: 'containers',
  kubernetes: 'Kubernetes',
};
export const placeName = (runtime: RuntimeKind | null): string | null =>
  runtime === null ? null : PLACES[runtime];

const NUMBERS = ['None', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'] as const;
const inWords = (n: number) => NUMBERS[n] ?? String(n);

/** Most silent targets that are named; more are counted. */
const NAMED = 3;

/** `Two of three are heard; edge is silent.` */
export function heardSentence(rows: readonly Pick<TargetRowView, 'target' | 'agent'>[]): string {
  if (rows.length === 0) return 'There is no target yet.';
  const heard = rows.filter(({ agent }) => agent?.state === 'alive');
  const silent = rows.filter(({ agent }) => agent !== null && agent.state !== 'alive');
  const mute = rows.filter(({ agent }) => agent === null);
  const names = (list: readonly { readonly target: string }[], one: string, many: string) =>
    list.length === 0
      ? []
      : [
          list.length > NAMED
            ? `${list.length} ${many}`
            : `${list.map(({ target }) => target).join(', ')} ${list.length === 1 ? one : many}`,
        ];
  const rest = [
    ...names(silent, 'is silent', 'are silent'),
    ...names(mute, 'has no agent', 'have no agent'),
  ].join('; ');
  if (rest === '')
    return rows.length === 1 ? `${rows[0]?.target} is heard.` : `All ${rows.length} are heard.`;
  const count =
    heard.length === 0
      ? 'None is heard'
      : `${inWords(heard.length)} of ${inWords(rows.length).toLowerCase()} ${heard.length === 1 ? 'is' : 'are'} heard`;
  return `${count}; ${rest}.`;
}

/** The work that waits for a target or is under way there, in a few words; null: none. */
export function workOf(commands: readonly CommandView[]): string | null {
  const [only] = commands;
  if (only === undefined) return null;
  if (commands.length === 1) {
    const name = only.service.slice(0, only.service.indexOf('@'));
    return `r${only.revision} of ${name} ${only.holder === null ? 'waits for it' : 'is in work'}`;
  }
  const held = commands.filter(({ holder }) => holder !== null).length;
  return [
    ...(commands.length > held
      ? [`${commands.length - held} ${commands.length - held === 1 ? 'waits' : 'wait'} for it`]
      : []),
    ...(held > 0 ? [`${held} in work`] : []),
  ].join(', ');
}

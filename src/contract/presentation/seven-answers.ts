import type { ModelView, StateView, StepView } from '../answers/model-view.ts';

/** The seven questions of the status model, answered for one state. The pages and the command line show these. */
export const QUESTIONS = [
  'What evidence backs it?',
  'Who owns each transition?',
  'How is stale progress rejected?',
  'What is the freshness rule?',
  'What does its timeout mean?',
  'What is safe to tell the user?',
  'What can repair it?',
] as const;
type ModelQuestion = (typeof QUESTIONS)[number];

/** The transitions that no picture of the machine shows, because they would hide all others. */
export const NOT_DRAWN =
  'Not drawn: any state may become `unknown`, and `unknown` may become any state again; a new revision or attempt starts over, from any state; what another tool deploys may also grow and end (see the table).';

export function sevenAnswers(model: ModelView, state: StateView): Readonly<Record<ModelQuestion, string>> {
  return {
    'What evidence backs it?': state.proof,
    'Who owns each transition?': ownersOf(model, state),
    'How is stale progress rejected?': state.stale,
    'What is the freshness rule?': state.freshness,
    'What does its timeout mean?': timeoutOf(model, state),
    'What is safe to tell the user?': state.tell,
    'What can repair it?': `${state.repair.how} Named actions: ${state.repair.actions.map(code).join(', ')}.`,
  };
}

/** Every state leads to `unknown` and back; one line says so instead of thirteen. */
function ownersOf(model: ModelView, { state, owner, expects }: StateView): string {
  const next = `The next proof is ${expects.map(code).join(' or ')}, by ${owner.join(', ')}.`;
  const out = model.transitions.filter((t) => t.from === state && t.to !== 'unknown');
  const lost = model.transitions.find((t) => t.from === state && t.to === 'unknown');
  const steps = out.map((t) => `to ${code(t.to)}: ${t.owner.join(', ')}`);
  if (lost !== undefined) steps.push(`to ${code('unknown')}: ${lost.owner.join(', ')}`);
  return `${next} ${capital(steps.join('; '))}.`;
}

function timeoutOf(model: ModelView, { deadline, lease }: StateView): string {
  const named = deadline.names.map((name) => {
    const row = model.deadlines.find((d) => d.name === name);
    return `${code(name)} ${row === undefined ? '' : `(${duration(row.defaultMs)}) `}`.trim();
  });
  const rule = named.length === 0 ? deadline.rule : `${named.join(', ')}: ${deadline.rule}`;
  return lease === null ? rule : `${rule} Lease: ${lease}`;
}

export function duration(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}

export function triggers({ on }: StepView): string {
  return on.map((trigger) => (trigger.includes('.') ? code(trigger) : trigger)).join(', ');
}

export function code(word: string): string {
  return `\`${word}\``;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

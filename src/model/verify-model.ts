import { Refusal } from '../contract/refusal.ts';
import { CAUSE_CODES, KINDS, MOVERS, OWNERS, type Role, STATES } from '../contract/vocabulary.ts';
import { type Model, type ModelCause, type ModelState, type ModelTransition, model } from './model.ts';

/** The states in which an attempt ends: leaving one, except by a loss of certainty, takes a new attempt. */
const ENDS: readonly string[] = ['cancelled'];

/**
 * Refuses to start with a state that lacks an owner, proof, deadline or freshness rule, message or repair.
 */
export function assertModel(checked: Model = model()): void {
  const problems = verifyModel(checked);
  if (problems.length > 0) throw new BrokenModel(problems);
}

/** Printed as its message alone: it names the row and the missing part, and a stack adds nothing. */
export class BrokenModel extends Refusal {
  override readonly name = 'BrokenModel';

  constructor(problems: readonly string[]) {
    super(`The status model is broken, and nothing starts with it:\n  ${problems.join('\n  ')}`);
  }
}

/**
 * Checks properties that the compiler cannot: every state has its words, can be reached and left, and every
 * name refers to something. Returns the problems; an empty list is a model that may start.
 */
export function verifyModel(model: Model): string[] {
  return [
    ...missing(
      'state',
      STATES,
      model.states.map((s) => s.state),
    ),
    ...missing(
      'evidence kind',
      KINDS,
      model.kinds.map((k) => k.kind),
    ),
    ...missing(
      'cause',
      CAUSE_CODES,
      model.causes.map((c) => c.code),
    ),
    ...model.states.flatMap((state) => stateProblems(model, state)),
    ...model.transitions.flatMap((row) => transitionProblems(model, row)),
    ...model.kinds.flatMap((k) => [
      ...blank(`kind ${k.kind}`, { proves: k.proves, roles: k.roles }),
      ...(k.fenced && k.commands.length === 0
        ? [`kind ${k.kind}: sent under a command, and names none`]
        : []),
    ]),
    ...model.causes.flatMap((row) => causeProblems(model, row)),
    ...model.reasons.flatMap((r) =>
      blank(`reason ${r.reason}`, { when: r.when, owner: r.owner, advice: r.advice }),
    ),
    ...model.actions.flatMap((a) => blank(`action ${a.action}`, { does: a.does, ask: a.ask })),
    ...model.messages.flatMap((m) => blank(`message ${m.code}`, { title: m.title })),
    ...unsaid(model),
  ];
}

function stateProblems(model: Model, row: ModelState): string[] {
  const name = `state ${row.state}`;
  const into = model.transitions.some((t) => t.to === row.state && t.from !== row.state);
  const out = model.transitions.some(
    (t) => t.from === row.state && (t.to !== 'unknown' || row.state === 'unknown'),
  );
  return [
    ...blank(name, {
      meaning: row.meaning,
      proof: row.proof,
      owner: row.owner,
      'expected evidence': row.expects,
      'deadline rule': row.deadline.rule,
      'freshness rule': row.freshness,
      message: row.message,
      repair: row.repair.how,
      'repair action': row.repair.actions,
      'sentence for users': row.tell,
      'rule for stale progress': row.stale,
    }),
    ...unlisted(`${name}: deadline`, row.deadline.names, names(model.deadlines, 'name')),
    ...unlisted(`${name}: expects`, row.expects, names(model.kinds, 'kind')),
    ...unlisted(`${name}: owner`, row.owner, OWNERS),
    ...unlisted(`${name}: message`, row.message, names(model.messages, 'code')),
    ...unlisted(`${name}: repair`, row.repair.actions, names(model.actions, 'action')),
    ...(into ? [] : [`${name}: no transition leads to it`]),
    ...(out || ENDS.includes(row.state) ? [] : [`${name}: no transition leads out of it`]),
  ];
}

function transitionProblems(model: Model, row: ModelTransition): string[] {
  const name = `transition ${row.from ?? 'birth'} to ${row.to}`;
  const states = names(model.states, 'state');
  const timed = row.on.some((t) => t === 'deadline' || t === 'silence');
  const kinds = row.on.filter((t) => t !== 'deadline' && t !== 'silence');
  const ownerless = kinds.filter((kind) => {
    const roles = model.kinds.find((k) => k.kind === kind)?.roles ?? [];
    return !roles.some((role) => row.owner.includes(role as Role));
  });
  return [
    ...blank(name, { trigger: row.on, owner: row.owner, when: row.when }),
    ...unlisted(name, [...(row.from === null ? [] : [row.from]), row.to], states),
    ...unlisted(`${name}: on`, kinds, names(model.kinds, 'kind')),
    ...unlisted(`${name}: owner`, row.owner, OWNERS),
    ...ownerless.map((kind) => `${name}: none of its owners may create ${kind}`),
    ...(timed && !row.owner.includes('clock')
      ? [`${name}: time brings it, and the clock does not own it`]
      : []),
    ...(row.from === row.to ? [`${name}: is no transition`] : []),
    ...(model.transitions.filter((t) => t.from === row.from && t.to === row.to).length > 1
      ? [`${name}: is listed twice`]
      : []),
  ];
}

function causeProblems(model: Model, row: ModelCause): string[] {
  const name = `cause ${row.code}`;
  return [
    ...blank(name, {
      mover: row.owner,
      state: row.states,
      'user text': row.user,
      'operator text': row.operator,
    }),
    ...unlisted(`${name}: mover`, [row.owner], MOVERS),
    ...unlisted(name, row.states, names(model.states, 'state')),
    ...unlisted(`${name}: action`, row.action === null ? [] : [row.action], names(model.actions, 'action')),
    ...model.actions
      .filter((a) => a.action === row.action && a.owner !== row.owner)
      .map((a) => `${name}: waits for ${row.owner}, but ${a.action} is taken by ${a.owner}`),
  ];
}

/** Sentences that no state uses: dead, or a sign that a state lost one. */
function unsaid(model: Model): string[] {
  const said = new Set(model.states.flatMap((s) => s.message));
  return model.messages.filter((m) => !said.has(m.code)).map((m) => `message ${m.code}: no state says it`);
}

function names<K extends string>(rows: readonly Readonly<Record<K, string>>[], key: K): string[] {
  return rows.map((row) => row[key]);
}

function missing(what: string, wanted: readonly string[], have: readonly string[]): string[] {
  return wanted.filter((name) => !have.includes(name)).map((name) => `${what} ${name}: has no row`);
}

function blank(name: string, answers: Readonly<Record<string, string | readonly string[]>>): string[] {
  return Object.entries(answers)
    .filter(([, answer]) => (typeof answer === 'string' ? answer.trim() === '' : answer.length === 0))
    .map(([what]) => `${name}: lacks its ${what}`);
}

function unlisted(name: string, used: readonly string[], listed: readonly string[]): string[] {
  return used
    .filter((word) => !listed.includes(word))
    .map((word) => `${name} names ${word}, which does not exist`);
}

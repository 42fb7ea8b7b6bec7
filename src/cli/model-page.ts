import {
  code,
  duration,
  NOT_DRAWN,
  QUESTIONS,
  sevenAnswers,
  triggers,
} from '../contract/presentation/seven-answers.ts';
import type { Model } from '../model/model.ts';
import { markdownTable as table } from './markdown-table.ts';

/**
 * Generates docs/status-model.md from the tables: `npm run docs` writes it, `evident model --check` compares
 * it.
 */
export function modelPage(model: Model): string {
  return [
    '# The status model',
    '<!-- Generated from the tables in src/projection and src/model by `npm run docs`. Do not edit. -->',
    'What every claim of Evident means, what proves it, and what may follow. The code reads the same tables.',
    '## The machine',
    machine(model),
    NOT_DRAWN,
    '## States',
    ...model.states.map((state) => stateSection(model, state)),
    '## Transitions',
    'A computed step that is not listed is `unknown`, `contradictory`, and an alarm. *Birth* is the first state of a revision or attempt, whatever was claimed before; all others happen within one attempt.',
    table(
      ['from', 'to', 'on', 'owner', 'nature', 'when'],
      model.transitions.map((t) => [
        t.from === null ? '*birth*' : code(t.from),
        code(t.to),
        triggers(t),
        t.owner.join(', '),
        t.nature.replace('_', ' '),
        t.when,
      ]),
    ),
    '## Evidence kinds',
    'Only the roles named may create a kind. *Fenced* kinds are sent under a lease: `command` and `fence` are required.',
    table(
      ['kind', 'proves', 'roles', 'enters by', 'fenced', 'about'],
      model.kinds.map((k) => [
        code(k.kind),
        k.proves,
        k.roles.join(', '),
        k.enters,
        k.fenced ? 'yes' : '',
        k.commands.join(', '),
      ]),
    ),
    '## Admission',
    'In this order; the first that applies is the verdict.',
    table(
      ['reason', 'when', 'alarm', 'whose move', 'what to do'],
      model.reasons.map((r) => [code(r.reason), r.when, r.alarm ? 'yes' : '', r.owner, r.advice]),
    ),
    '## Causes',
    table(
      ['cause', 'states', 'whose move', 'action', 'retry safe', 'users read', 'operators read'],
      model.causes.map((c) => [
        code(c.code),
        c.states.map(code).join(', '),
        c.owner,
        c.action === null ? '' : code(c.action),
        c.retrySafe ? 'yes' : 'no',
        c.lost === undefined ? c.user : `${c.user} Where it ran before: ${c.lost}`,
        c.operator,
      ]),
    ),
    '## Deadlines',
    'Each is the one that ends its stage; time in which the platform was blind never counts.',
    table(
      ['deadline', 'default', 'stage', 'waits for', 'counts', 'whose move', 'when it passes'],
      model.deadlines.map((d) => [
        code(d.name),
        duration(d.defaultMs),
        code(d.stage),
        code(d.expected),
        d.counts.replace('_', ' '),
        d.owner,
        d.passes,
      ]),
    ),
    '## Actions',
    table(
      ['action', 'by', 'does', 'call'],
      model.actions.map((a) => [code(a.action), a.owner, a.does, a.call === null ? '' : code(a.call)]),
    ),
    '## Messages',
    table(
      ['code', 'title'],
      model.messages.map((m) => [code(m.code), m.title]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

function stateSection(model: Model, state: Model['states'][number]): string {
  const answers = sevenAnswers(model, state);
  return [
    `### ${code(state.state)}`,
    state.meaning,
    QUESTIONS.map((question) => `- **${question}** ${answers[question]}`).join('\n'),
  ].join('\n\n');
}

function machine(model: Model): string {
  const drawn = model.transitions.filter(
    (t) => t.to !== 'unknown' && t.from !== 'unknown' && t.only === undefined,
  );
  const steps = drawn.map((t) => `  ${t.from ?? '[*]'} --> ${t.to}`);
  return ['```mermaid', 'stateDiagram-v2', '  direction LR', ...steps, '```'].join('\n');
}

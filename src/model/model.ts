import { z } from 'zod';
import { ACTIONS } from '../contract/actions.ts';
import { BODIES } from '../contract/evidence.ts';
import type { DeadlineName } from '../contract/intent.ts';
import { KINDS, STATES } from '../contract/vocabulary.ts';
import { CAUSES, type CauseRow } from '../projection/causes.ts';
import { DEADLINES, type DeadlineRow } from '../projection/deadlines.ts';
import { KIND_TABLE, type KindRow } from '../projection/kinds.ts';
import { MESSAGES } from '../projection/messages.ts';
import { STATE_TABLE, type StateRow } from '../projection/states.ts';
import { TRANSITIONS, type TransitionRule } from '../projection/transition-table.ts';
import { ADMISSION_ORDER, type AdmissionRow, REASONS } from './reasons.ts';

/**
 * The status model as data: the body of `GET /v1/model`, and the source of `evident model`, the generated
 * page and the web UI. Names are plain strings here, so that a test can pass a broken model to `verifyModel`.
 */
export interface Model {
  readonly states: readonly ModelState[];
  readonly kinds: readonly ModelKind[];
  readonly transitions: readonly ModelTransition[];
  readonly reasons: readonly ({ readonly reason: string } & AdmissionRow)[];
  readonly causes: readonly ModelCause[];
  readonly deadlines: readonly ({ readonly name: string } & DeadlineRow)[];
  readonly actions: readonly ModelAction[];
  readonly messages: readonly { readonly code: string; readonly title: string }[];
}

/** A table's row with its names widened to text. */
type Loose<T> = T extends string
  ? string
  : T extends readonly (infer E)[]
    ? readonly Loose<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Loose<T[K]> }
      : T;

export type ModelState = { readonly state: string } & Loose<StateRow>;
type ModelKind = { readonly kind: string } & Loose<Omit<KindRow, 'body'>>;
export type ModelTransition = Loose<TransitionRule>;
export type ModelCause = { readonly code: string } & Loose<CauseRow>;
type ModelAction = { readonly action: string } & Loose<(typeof ACTIONS)[keyof typeof ACTIONS]>;

export function model(): Model {
  return {
    states: STATES.map((state) => ({ state, ...STATE_TABLE[state] })),
    kinds: KINDS.map((kind) => ({ kind, ...KIND_TABLE[kind] })),
    transitions: TRANSITIONS,
    reasons: ADMISSION_ORDER.map((reason) => ({ reason, ...REASONS[reason] })),
    causes: entries(CAUSES).map(([code, row]) => ({ code, ...row })),
    deadlines: entries<DeadlineName, DeadlineRow>(DEADLINES).map(([name, row]) => ({ name, ...row })),
    actions: entries(ACTIONS).map(([action, row]) => ({ action, ...row })),
    messages: entries(MESSAGES).map(([code, { title }]) => ({ code, title })),
  };
}

/**
 * The model with the schema of every body, for senders of evidence. Not part of `model`: only its readers pay
 * for it.
 */
export function publicModel() {
  const base = model();
  const kinds = base.kinds.map((row, i) => {
    const kind = KINDS[i];
    return { ...row, body: kind === undefined ? {} : z.toJSONSchema(BODIES[kind], { io: 'input' }) };
  });
  return { ...base, kinds };
}

function entries<K extends string, V>(table: Readonly<Record<K, V>>): [K, V][] {
  return Object.entries(table) as [K, V][];
}

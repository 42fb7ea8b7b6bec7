/**
 * The fields of `GET /v1/model` that people read. Names are plain text, so that a page draws whatever the
 * server has, also a state that this program does not know.
 */
export interface ModelView {
  readonly states: readonly StateView[];
  readonly kinds: readonly KindView[];
  readonly transitions: readonly StepView[];
  readonly reasons: readonly ReasonView[];
  readonly causes: readonly CauseView[];
  readonly deadlines: readonly { readonly name: string; readonly defaultMs: number }[];
}

export interface StateView {
  readonly state: string;
  readonly meaning: string;
  readonly proof: string;
  readonly owner: readonly string[];
  readonly expects: readonly string[];
  readonly deadline: { readonly names: readonly string[]; readonly rule: string };
  readonly freshness: string;
  readonly lease: string | null;
  readonly message: readonly string[];
  readonly repair: { readonly actions: readonly string[]; readonly how: string };
  readonly tell: string;
  readonly stale: string;
}

export interface StepView {
  /** Null: the first state of a revision or attempt. */
  readonly from: string | null;
  readonly to: string;
  readonly on: readonly string[];
  readonly owner: readonly string[];
  readonly nature: string;
  readonly when: string;
  /** `observe`: only of what another tool deploys. */
  readonly only?: string;
}

interface KindView {
  readonly kind: string;
  readonly proves: string;
  readonly roles: readonly string[];
  readonly enters: string;
  readonly fenced: boolean;
}

interface ReasonView {
  readonly reason: string;
  readonly when: string;
  readonly alarm: boolean;
  readonly owner: string;
  readonly advice: string;
}

interface CauseView {
  readonly code: string;
  readonly states: readonly string[];
  readonly owner: string;
  readonly action: string | null;
  readonly retrySafe: boolean;
  readonly user: string;
  readonly operator: string;
}

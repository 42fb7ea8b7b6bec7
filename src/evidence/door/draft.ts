import type { Digits } from '../../contract/digits.ts';
import type { Body, Source } from '../../contract/evidence.ts';
import type { Kind } from '../../contract/vocabulary.ts';

/** Evidence before it has a position and a receipt time. Without an id it is the platform's own. */
export interface Draft<K extends Kind = Kind> {
  readonly kind: K;
  readonly source: Source;
  readonly body: Body<K>;
  readonly id?: string;
  readonly service?: string | null;
  readonly target?: string | null;
  readonly revision?: number | null;
  readonly attempt?: number | null;
  readonly command?: string | null;
  readonly fence?: Digits | null;
  readonly seq?: Digits | null;
  readonly observedAt?: string | null;
}

/** Evidence to reject: it may not even have a kind that exists, nor a body of its kind. */
export type RejectedDraft = Omit<Draft, 'kind' | 'body'> & {
  readonly kind: string;
  readonly body: unknown;
};

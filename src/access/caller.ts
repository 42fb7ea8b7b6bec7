import type { TokenRole } from '../contract/vocabulary.ts';

/** A caller, as authentication has established it. Bindings are patterns; `*` matches any run of characters. */
export interface Caller {
  readonly org: string;
  readonly role: TokenRole;
  /** The token's name: the actor of a person's requests, the bearer of a component's evidence. */
  readonly name: string;
  readonly instance: string;
  readonly target: string;
  readonly service: string;
  /** The id of the caller's token: it can end between the call and the transaction that serves it. */
  readonly token?: string;
  /** The id of the call itself, in its answer and in the log. */
  readonly correlation?: string;
}

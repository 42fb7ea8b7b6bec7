import type { HeadRow, RevisionRow, ScopeRow, ServiceRow } from '../../store/schema.ts';
import type { JudgedAhead } from './judge-ahead.ts';
import type { Surroundings } from './service-file.ts';

/** More services of all orgs together are not kept: those of the others are read when their scope is silent. */
const KEPT = 10_000;

/** A scope with its last report: after another report, what was read ahead is for nothing. */
export type ScopeAhead = Pick<ScopeRow, 'org' | 'target' | 'scope' | 'receivedAt'>;

/** Names a page: the place of its reach among those of the scope, and the service after which it begins. */
export interface PagePlace {
  readonly reach: number;
  readonly after: string;
}

/** Services of a scope and their intents, read in one snapshot before the scope fell silent. */
export interface PageAhead {
  readonly services: readonly ServiceRow[];
  readonly revisions: readonly RevisionRow[];
  /** The head of the org in that snapshot. */
  readonly head: HeadRow;
  /** The settings and the liveness around all of them, as they are at the instant of the silence if nothing comes. */
  readonly around: Surroundings;
  readonly silentAt: number;
  /** By service, the judgement as of `silentAt`. Filled one by one until then; what is missing is judged at that instant. */
  readonly judged: Map<string, JudgedAhead>;
}

/**
 * The services of scopes that are about to fall silent, so that thousands of them are recorded within a second of the
 * instant (S2): to read and decode them takes longer than to judge and write them. A cache: the sweep reads what is not
 * here, and does not use what has changed meanwhile.
 */
export class RowsAhead {
  readonly #scopes = new Map<string, { readonly of: ScopeAhead; readonly pages: Map<string, PageAhead> }>();

  get hasRoom(): boolean {
    let count = 0;
    for (const { pages } of this.#scopes.values())
      for (const { services } of pages.values()) count += services.length;
    return count < KEPT;
  }

  /** Drops the pages of an org's scopes that are not among these. */
  keepOnly(org: string, scopes: readonly ScopeAhead[]): void {
    const kept = new Set(scopes.map(nameOf));
    for (const [name, { of }] of this.#scopes)
      if (of.org === org && !kept.has(name)) this.#scopes.delete(name);
  }

  find(scope: ScopeAhead, place: PagePlace): PageAhead | undefined {
    return this.#scopes.get(nameOf(scope))?.pages.get(placeName(place));
  }

  put(scope: ScopeAhead, place: PagePlace, page: PageAhead): void {
    const { pages } = this.#scopes.get(nameOf(scope)) ?? { pages: new Map<string, PageAhead>() };
    pages.set(placeName(place), page);
    this.#scopes.set(nameOf(scope), { of: scope, pages });
  }

  /** The page, once: a transaction that runs again because a row had changed reads the rows as they are then. */
  take(scope: ScopeAhead, place: PagePlace): PageAhead | undefined {
    const page = this.find(scope, place);
    this.#scopes.get(nameOf(scope))?.pages.delete(placeName(place));
    return page;
  }
}

const nameOf = ({ org, target, scope, receivedAt }: ScopeAhead) =>
  JSON.stringify([org, target, scope, receivedAt]);
const placeName = ({ reach, after }: PagePlace) => `${reach} ${after}`;

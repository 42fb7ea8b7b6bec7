import type { RevisionView } from '../answers/views.ts';
import type { RevisionKind } from '../vocabulary.ts';

export const VERBS: Readonly<Record<RevisionKind, string>> = {
  deploy: 'deployed',
  rollback: 'rolled back',
  restart: 'restarted',
  scale: 'scaled',
  config: 'configured',
  teardown: 'torn down',
  observed: 'observed',
};

/** Where a revision comes from, as far as its author can be told from it. */
type Made = Pick<RevisionView, 'kind' | 'actor' | 'git'> & { readonly managedBy?: string | null };

/**
 * The person behind a revision: who wrote the commit that it deploys; of what changed no code, whoever asked for it. Where a
 * pipeline deploys, its token names the pipeline alone. Of what another tool deploys, that tool.
 */
export const authorOf = ({ kind, actor, git, managedBy }: Made): string =>
  managedBy ?? (kind === 'deploy' ? git?.author : undefined) ?? actor;

/** The same in few words, with the part of each: who wrote the commit is not always who deployed it. */
export function authorByActor(made: Made): string {
  const author = authorOf(made);
  const isOne = made.managedBy != null || isNamedLike(made.actor, author);
  return isOne ? author : `${author}, ${VERBS[made.kind]} by ${made.actor}`;
}

/** "ana" deployed what Ana Ruiz wrote: a second name would say nothing more. The whole of it stands behind the first. */
const isNamedLike = (actor: string, author: string): boolean =>
  actor === author || actor.toLowerCase() === author.toLowerCase().split(' ')[0];

/** Who wrote it and who asked for it, where these are two. */
export function authorAndActor(made: Made): string {
  const author = authorOf(made);
  return author === made.actor || made.managedBy != null
    ? `${VERBS[made.kind]} by ${author}`
    : `commit by ${author}, ${VERBS[made.kind]} by ${made.actor}`;
}

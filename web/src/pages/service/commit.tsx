import type { RevisionView } from '../../../../src/contract/answers/views.ts';
import { shortCommit } from '../../../../src/contract/presentation/workload.ts';

/** The commit of a revision, which leads to its page where whoever deployed it named one. */
export function Commit({
  of: { git, provenance },
}: {
  readonly of: Pick<RevisionView, 'git' | 'provenance'>;
}) {
  if (git === null) return provenance?.commit ? shortCommit(provenance.commit) : null;
  const sha = git.sha.slice(0, 7);
  // The server refuses other addresses; one that it should have is not followed all the same.
  if (git.url?.startsWith('https://') !== true) return sha;
  return (
    <a className="commit" href={git.url} rel="noreferrer" title={git.url.replace('https://', '')}>
      {sha}
    </a>
  );
}

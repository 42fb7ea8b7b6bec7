/**
 * Where the hosts that everybody may look at show a commit. Rejected: guessing for other hosts, whose pages may lie elsewhere
 * or be nobody's: a link that leads nowhere looks like a fact.
 */
const PAGES: Readonly<Record<string, string>> = {
  'github.com': '/commit/',
  'gitlab.com': '/-/commit/',
  'codeberg.org': '/commit/',
  'bitbucket.org': '/commits/',
};

/** `git@HOST:PATH`, and `https://`, `ssh://` or `git://` with HOST and PATH; who signs in there is left out. */
const REMOTE =
  /^(?:(?:https|ssh|git):\/\/(?:[^@/]*@)?([^@/:]+)(?::\d+)?\/|(?:[^@/:]+@)?([^@/:]+):)([\w./~-]+)$/;

/** The page of a commit on the web, by the address of the remote that has it; null where none is known. Pure. */
export function commitPage(remote: string, sha: string): string | null {
  const [, byUrl, byName, path = ''] = REMOTE.exec(remote.trim()) ?? [];
  const host = (byUrl ?? byName ?? '').toLowerCase();
  const page = PAGES[host];
  const repository = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  if (page === undefined || !repository.includes('/') || repository.includes('..')) return null;
  return `https://${host}/${repository}${page}${sha}`;
}

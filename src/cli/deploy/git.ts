import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Git } from '../../contract/intent.ts';
import { commitPage } from './commit-page.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 5_000;

/** The commit of a folder inside a git repository; null without git or repository, without a message. */
export async function gitOf(dir: string): Promise<Git | null> {
  // Takes no locks: somebody may be committing at the same time.
  const git = async (...args: string[]) =>
    (
      await run('git', ['--no-optional-locks', '-C', dir, ...args], {
        timeout: TIMEOUT_MS,
        maxBuffer: 1 << 26,
      })
    ).stdout;
  try {
    const sha = (await git('rev-parse', '--verify', 'HEAD')).trim();
    const [branch, message, author, changes, url] = await Promise.all([
      // A detached head is on no branch.
      git('symbolic-ref', '--quiet', '--short', 'HEAD').catch(() => ''),
      git('log', '-1', '--format=%B'),
      git('log', '-1', '--format=%an'),
      git('status', '--porcelain', '--', '.'),
      pageOf(git, sha).catch(() => null),
    ]);
    return {
      sha,
      ...(branch.trim() === '' ? {} : { branch: branch.trim().slice(0, 255) }),
      message: cut(message, 2000),
      ...(author.trim() === '' ? {} : { author: cut(author, 255) }),
      dirty: changes.trim() !== '',
      ...(url === null ? {} : { url }),
    };
  } catch {
    return null;
  }
}

/** The page of a commit, once a remote is known to have it: of one that was never pushed there is no page. */
async function pageOf(git: (...args: string[]) => Promise<string>, sha: string): Promise<string | null> {
  const branches = (
    await git('for-each-ref', '--contains', sha, '--format=%(refname:strip=2)', 'refs/remotes')
  )
    .split('\n')
    .filter(Boolean);
  const remotes = new Set(branches.map((branch) => branch.slice(0, branch.indexOf('/'))));
  // A clone is made from `origin`; other remotes count only where there is none.
  const remote = remotes.has('origin') ? 'origin' : [...remotes][0];
  return remote === undefined ? null : commitPage(await git('remote', 'get-url', remote), sha);
}

/** At most so many characters, none of them half of a pair. */
const cut = (text: string, most: number) =>
  text
    .trim()
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, '');

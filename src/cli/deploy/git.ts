import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Git } from '../../contract/intent.ts';

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
    const [branch, message, author, changes] = await Promise.all([
      // A detached head is on no branch.
      git('symbolic-ref', '--quiet', '--short', 'HEAD').catch(() => ''),
      git('log', '-1', '--format=%B'),
      git('log', '-1', '--format=%an'),
      git('status', '--porcelain', '--', '.'),
    ]);
    return {
      sha,
      ...(branch.trim() === '' ? {} : { branch: branch.trim().slice(0, 255) }),
      message: cut(message, 2000),
      ...(author.trim() === '' ? {} : { author: cut(author, 255) }),
      dirty: changes.trim() !== '',
    };
  } catch {
    return null;
  }
}

/** At most so many characters, none of them half of a pair. */
const cut = (text: string, most: number) =>
  text
    .trim()
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, '');

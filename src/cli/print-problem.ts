import { ProblemAnswer, Unreachable } from '../client/client.ts';
import { NO_SERVICE, type ProblemCode } from '../contract/problem.ts';
import { Refusal } from '../contract/refusal.ts';
import { type Format, isData } from './output.ts';
import { EXIT } from './proof/exit-code.ts';

/** There is no store at the named place. Commands that only look never create one. */
export class NoStoreFound extends Refusal {
  override readonly name = 'NothingHere';
}

/** A usage error found before any server was called. */
export class UsageError extends Refusal {
  override readonly name = 'Misused';
}

/** The next step after a refusal, where the server's own sentence does not name it. */
const NEXT: { readonly [code in ProblemCode]?: (ref: string) => string } = {
  unauthenticated: () =>
    'Sign in again: evident login URL. Or name a valid token with --server and --token. An administrator makes one: evident tokens create --role deployer',
  forbidden: () => 'Ask for a token of a role that may: evident tokens create --role …',
  deployment_in_progress: (ref) => `See how it goes: evident watch ${ref}`,
  state_unknown: (ref) =>
    `See why: evident explain ${ref}. An operator may: evident teardown ${ref} --force --reason "…"`,
  nothing_to_roll_back: (ref) => `See what there was: evident history ${ref}`,
  no_artifact: (ref) => `See what there is: evident history ${ref}`,
  nothing_to_cancel: (ref) => `See how it stands: evident status ${ref}`,
  cancel_not_possible: (ref) => `Go back instead: evident rollback ${ref}, or: evident teardown ${ref}`,
  retry_not_possible: (ref) => `See why: evident explain ${ref}`,
  managed_elsewhere: (ref) => `See how it stands: evident status ${ref}`,
  observe_only: () => 'See what it observes: evident services, and by which rule: evident agents -o wide',
  before_retention: (ref) => `See what is kept: evident history ${ref}`,
  too_large: () => 'Leave out what the build does not need, in .evidentignore',
  source_rejected: () => 'Change it, or leave it out in .evidentignore, and deploy again',
  artifact_missing: () => 'Name one that was built here: evident history SERVICE -o wide',
  too_many: () => 'Try again in a moment: nothing was done',
  outcome_unknown: (ref) => `See whether it was done: evident status ${ref}`,
  unavailable: () => 'Try again in a moment; evident doctor says what is wrong',
  no_space: () => 'Make room on the server’s disk, and try again: nothing was done',
  internal: (ref) =>
    `See whether it was done: evident status ${ref}. The correlation finds it in the server’s log`,
};

const EXIT_OF: { readonly [code in ProblemCode]?: number } = {
  outcome_unknown: EXIT.unknown,
  internal: EXIT.unknown,
  unavailable: EXIT.unreachable,
};

/** Prints an error on standard error, and returns the exit code for it. `meant`: the service that was probably meant. */
export function printProblem(
  error: unknown,
  format: Format,
  ref: string | null,
  meant: string | null = null,
): number {
  const printed = inWords(error, ref ?? 'SERVICE');
  if (printed === null) throw error;
  const { problem, next, code } = printed;
  const sentence = sentenceOf(problem, ref);
  const lines = meant === null ? [sentence, ...next] : [`${sentence} Did you mean ${meant}?`];
  process.stderr.write(isData(format) ? `${JSON.stringify(problem)}\n` : `${lines.join('\n')}\n`);
  return code;
}

/** A detail that names what is missing, or begins with the title, needs no title before it. */
function sentenceOf({ code, title, detail }: PrintedProblem['problem'], ref: string | null): string {
  if (detail === NO_SERVICE && ref !== null) return `No service “${ref}”.`;
  const isWhole = code === 'not_found' || String(detail).startsWith(String(title));
  return isWhole ? String(detail) : `${title}: ${detail}`;
}

/** Ctrl-C: a person reads how to continue, a program gets a problem object as for every error. */
export function printInterrupt(detail: string, format: Format): number {
  process.stderr.write(
    isData(format) ? `${JSON.stringify(own('interrupted', 'Ctrl-C', detail))}\n` : `${detail}\n`,
  );
  return EXIT.interrupted;
}

/**
 * The problem object of an error, for programs. An error that has only a sentence becomes one with that
 * sentence.
 */
export function problemOf(error: Error): PrintedProblem['problem'] {
  // Checked first: a command that looks for a store and one that looks for a server can both find nothing.
  if (error instanceof NoStoreFound) return own('nothing_here', 'There is nothing here', error.message);
  return inWords(error, 'SERVICE')?.problem ?? own('refused', 'It cannot go on', error.message);
}

interface PrintedProblem {
  readonly problem: Readonly<Record<string, unknown>>;
  readonly next: readonly string[];
  readonly code: number;
}

/** A service that is not there is looked for among the others; what one lacks, in its own history. */
const whereToLook = ({ problem }: ProblemAnswer, ref: string) =>
  problem.detail === NO_SERVICE || ref === 'SERVICE'
    ? 'See what there is: evident services'
    : `See what there was: evident history ${ref}`;

function inWords(error: unknown, ref: string): PrintedProblem | null {
  if (error instanceof ProblemAnswer) {
    const code = String(error.code) as ProblemCode;
    const next = code === 'not_found' ? whereToLook(error, ref) : NEXT[code]?.(ref);
    return {
      problem: error.problem,
      next: next === undefined ? [] : [next],
      code: EXIT_OF[code] ?? EXIT.refused,
    };
  }
  if (error instanceof Unreachable) {
    const next = ['What could be wrong, and what to do: evident doctor'];
    return {
      problem: own('unreachable', 'The server cannot be reached', error.message),
      next,
      code: EXIT.unreachable,
    };
  }
  if (error instanceof NoStoreFound)
    return {
      problem: own('no_server', 'No server is known', error.message),
      next: [],
      code: EXIT.unreachable,
    };
  if (error instanceof UsageError)
    return { problem: own('usage', 'Can’t do that', error.message), next: [], code: EXIT.refused };
  return null;
}

/** A problem of the client itself, in the form of the server's (RFC 9457). */
const own = (code: string, title: string, detail: string) => ({
  type: `urn:evident:problem:${code}`,
  title,
  detail,
  code,
});

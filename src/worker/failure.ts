import { PackRefused } from '../artifact/pack.ts';
import { SourceRejected } from '../artifact/source-rejected.ts';
import { asStorageError, NoSpace } from '../artifact/storage-errors.ts';
import { BuildFailure } from '../build/recipe.ts';
import { ProblemAnswer } from '../client/client.ts';

/**
 * Gives every error of a build a code of the catalogue. An unexpected error counts as the builder's own, and
 * says so.
 */
export function asBuildFailure(error: unknown): BuildFailure {
  if (error instanceof BuildFailure) return error;
  if (error instanceof SourceRejected)
    return new BuildFailure('source_invalid', error.message, { cause: error });
  if (error instanceof PackRefused) return new BuildFailure('build_failed', error.message, { cause: error });
  if (asStorageError(error) instanceof NoSpace)
    return new BuildFailure('builder_disk_full', `The builder’s disk is full: ${messageOf(error)}`, {
      cause: error,
    });
  if (error instanceof ProblemAnswer && error.code === 'too_large')
    return new BuildFailure(
      'build_failed',
      `The artifact is larger than the server takes. ${error.message}`,
      {
        cause: error,
      },
    );
  return new BuildFailure('builder_failed', messageOf(error), { cause: error });
}

const messageOf = (error: unknown) =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

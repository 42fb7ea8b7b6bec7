/**
 * Refuses what was requested, with a sentence that says why and what to do about it. A person is shown the sentence
 * without a stack; every other error is a defect of Evident. `code` is for programs: one of PROBLEM_CODES where the
 * refusal is answered over HTTP.
 */
export abstract class Refusal extends Error {
  override readonly name: string = 'Refusal';
  readonly code: string = 'refused';
  /** Further fields of the problem document. */
  readonly extra: Readonly<Record<string, unknown>> = {};
}

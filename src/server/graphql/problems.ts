import { GraphQLError } from 'graphql';
import { asRefused } from '../http/as-refused.ts';
import { problemDocument, Refused } from '../http/problems.ts';

/**
 * The error of a field, with the code that HTTP gives for the same refusal. The words of an unexpected error go to the log
 * alone (S15), where its correlation finds them.
 */
export function asGraphqlError(
  error: unknown,
  correlation: string,
  onDefect: (error: unknown) => void,
): GraphQLError {
  const original = error instanceof GraphQLError ? error.originalError : error;
  // A mistake in the document or its variables, found by GraphQL or a scalar; or the reset of a subscription.
  if (error instanceof GraphQLError && (original === undefined || original instanceof GraphQLError))
    return withCode(error, correlation);
  const refused = asRefused(original, 0);
  if (refused.code === 'internal') onDefect(original);
  const {
    title: _title,
    detail,
    ...extensions
  } = problemDocument(refused.code, refused.message, correlation, refused.extra);
  const at = error instanceof GraphQLError ? error : undefined;
  return new GraphQLError(detail, {
    nodes: at?.nodes ?? null,
    path: at?.path ?? null,
    extensions: {
      ...extensions,
      ...(refused.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: refused.retryAfterSeconds }),
    },
  });
}

function withCode(error: GraphQLError, correlation: string): GraphQLError {
  const { nodes, path, extensions } = error;
  // `spec`: a client that accepts no more than JSON is answered 200 all the same, as the specification has it.
  const { http = { status: 400, spec: true } } = extensions;
  const coded = extensions.code === 'reset' ? extensions : { ...extensions, code: 'invalid_request', http };
  return new GraphQLError(error.message, {
    nodes: nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: path ?? null,
    extensions: { ...coded, correlation },
  });
}

export const invalidArgument = (detail: string) =>
  new Refused('invalid_request', detail, { errors: [detail] });

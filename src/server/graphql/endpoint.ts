import { Readable } from 'node:stream';
import type { ExecutionResult } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { ServerContext } from '../context.ts';
import type { SharedReads } from '../reads/shared-reads.ts';
import type { GraphqlCall } from './call.ts';
import { parseWithinLimits, requireFewItems } from './limits.ts';
import { asGraphqlError } from './problems.ts';
import { graphqlSchema } from './schema.ts';

/** A request for GraphQL, as HTTP brought it. */
interface GraphqlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

interface GraphqlResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable | string;
}

export type GraphqlEndpoint = (request: GraphqlRequest, call: GraphqlCall) => Promise<GraphqlResponse>;

/** Headers that belong to the connection, which is the server’s. */
const OF_THE_CONNECTION = new Set(['connection', 'content-encoding', 'content-length', 'transfer-encoding']);

/** Answers requests for GraphQL as the specification of GraphQL over HTTP has it. Permission is asked by each field. */
export function graphqlEndpoint(context: ServerContext, long: SharedReads): GraphqlEndpoint {
  const yoga = createYoga<GraphqlCall>({
    schema: graphqlSchema(context, long),
    graphqlEndpoint: '/graphql',
    ...{
      graphiql: false,
      landingPage: false,
      cors: false,
      multipart: false,
      batching: false,
      logging: false,
    },
    // `parseWithinLimits` parses; a document is read once either way.
    parserAndValidationCache: false,
    maskedErrors: false,
    plugins: [limits, codes(context)],
  });
  return async ({ method, url, headers, body }, call) => {
    const request = { method, headers, ...(body !== null && { body }), signal: call.left };
    const response = await yoga.fetch(`http://localhost${url}`, request, call);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    const kept = [...response.headers].filter(([name]) => !OF_THE_CONNECTION.has(name));
    return {
      status: response.status,
      headers: Object.fromEntries(isStream ? [...kept, ['x-accel-buffering', 'no']] : kept),
      body: isStream && response.body !== null ? Readable.from(response.body) : await response.text(),
    };
  };
}

/** Refuses what is too large before it is validated, and what may answer too much before it is carried out. */
const limits: Plugin = {
  onParse: ({ params, setParsedDocument }) => {
    setParsedDocument(parseWithinLimits(String(params.source)));
  },
  onExecute: ({ args }) => requireFewItems(args.document, args.operationName, args.variableValues ?? {}),
};

/** Gives each error the code of its problem. The words of an unexpected one go to the log alone. */
function codes({ log }: Pick<ServerContext, 'log'>): Plugin<GraphqlCall> {
  const coded = (result: ExecutionResult, correlation: string): ExecutionResult => {
    if (result.errors === undefined) return result;
    const onDefect = (error: unknown) => log.error({ correlation, err: error }, 'a defect of ours');
    const errors = result.errors.map((error) => asGraphqlError(error, correlation, onDefect));
    return { ...result, errors };
  };
  return {
    onResultProcess: ({ result, setResult, serverContext }) => {
      const { correlation } = serverContext as unknown as GraphqlCall;
      if (isIterable(result)) setResult(mapped(result, (one) => coded(one, correlation)));
      else if (!Array.isArray(result)) setResult(coded(result as ExecutionResult, correlation));
    },
  };
}

const isIterable = (value: unknown): value is AsyncIterable<ExecutionResult> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** Not a generator: its `return()` would wait for an event that may never come. */
function mapped<T>(values: AsyncIterable<T>, map: (value: T) => T): AsyncIterableIterator<T> {
  const iterator = values[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { value, done } = await iterator.next();
      return done ? { value: undefined, done: true } : { value: map(value), done: false };
    },
    return: async () => {
      await iterator.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ServerContext } from '../context.ts';
import type { GraphqlEndpoint } from '../graphql/endpoint.ts';
import { clientLeft } from '../http/client-left.ts';
import { Refused } from '../http/problems.ts';
import { type Call, type Reply, type Route, route } from '../http/route.ts';
import type { SharedReads } from '../reads/shared-reads.ts';

const answers = {
  200: 'data, errors; or text/event-stream with Accept: text/event-stream',
  400: 'invalid_request: nothing was carried out',
  405: 'a mutation by GET',
  415: 'a body that is no JSON',
} as const;
const request = z.object({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});
const result = z.object({ data: z.unknown().optional(), errors: z.array(z.unknown()).optional() });
const told = z
  .object({ event: z.literal('next'), data: result })
  .meta({ id: 'NextEvent', description: 'A value of a subscription; `complete` ends it.' });
const ofGraphql = { 'application/graphql-response+json': result, 'application/json': result } as const;
const gives = {
  200: { ...ofGraphql, 'text/event-stream': told },
  400: ofGraphql,
  405: ofGraphql,
  415: ofGraphql,
};

/** The calls of this API in the language of GraphQL: each field calls the verb of its route, and asks its permission. */
export function graphqlRoutes(context: ServerContext, long: SharedReads): Route[] {
  let endpoint: Promise<GraphqlEndpoint> | null = null;
  const answer = async (call: Call<unknown, unknown>, body: string | null): Promise<Reply> => {
    // Loaded with the first request: a server that nobody asks in GraphQL has neither the time nor the memory of it.
    endpoint ??= import('../graphql/endpoint.ts').then(({ graphqlEndpoint }) =>
      graphqlEndpoint(context, long),
    );
    const { caller, token, secret, correlation } = call;
    const { method, url } = call.request;
    return (await endpoint)(
      { method, url, headers: headersOf(call.request), body },
      { caller, token, secret, correlation, left: clientLeft(call) },
    );
  };
  return [
    route({
      method: 'GET',
      path: '/graphql',
      access: 'query',
      streams: 'unnumbered',
      summary: 'A query, or a subscription (SSE), in the language of GraphQL',
      query: z.looseObject({
        query: z.string().optional(),
        operationName: z.string().optional(),
        variables: z.string().optional().describe('JSON'),
        extensions: z.string().optional().describe('JSON'),
      }),
      answers,
      gives,
      handle: (call) => answer(call, null),
    }),
    route({
      method: 'POST',
      path: '/graphql',
      access: 'query',
      vital: true,
      takes: 'bytes',
      describes: request,
      summary: 'A query, a mutation or a subscription (SSE), in the language of GraphQL',
      body: z.unknown(),
      answers,
      gives,
      handle: async (call) =>
        answer(call, await textOf(call.body as Readable, context.config.maxReportBytes)),
    }),
  ];
}

/** GraphQL decides by these two headers what it is sent, and what it answers. */
function headersOf({ headers }: FastifyRequest): Record<string, string> {
  const named = ['accept', 'content-type'] as const;
  return Object.fromEntries(
    named.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

async function textOf(body: Readable | undefined, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += (chunk as Buffer).length;
    if (size > limit)
      throw new Refused('too_large', `The body is larger than ${limit} bytes, the limit here.`, { limit });
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

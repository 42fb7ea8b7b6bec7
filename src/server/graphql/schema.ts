import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { createSchema } from 'graphql-yoga';
import type { Claim } from '../../contract/claim.ts';
import type { ServerContext } from '../context.ts';
import type { SharedReads } from '../reads/shared-reads.ts';
import { type GraphqlCall, requireDetail } from './call.ts';
import { derivedTypes } from './derived-types.ts';
import { agentMutations } from './lists-of-agents.ts';
import { actionMutations } from './mutations.ts';
import { CONNECTION_TYPES, GRAPHQL_OPERATIONS } from './operations.ts';
import { queriesOf } from './queries.ts';
import { SCALARS } from './scalars.ts';
import { serviceFields } from './service-fields.ts';
import { statusesOf } from './statuses.ts';
import { subscriptionOf } from './subscription.ts';

const TYPES = [GRAPHQL_OPERATIONS, CONNECTION_TYPES, derivedTypes()];

/** The schema with the functions behind its fields. */
export function graphqlSchema(context: ServerContext, long: SharedReads): GraphQLSchema {
  return createSchema<GraphqlCall>({
    typeDefs: TYPES,
    resolvers: {
      ...SCALARS,
      Query: { ...queriesOf(context, long), ...statusesOf(context, long) },
      Mutation: { ...actionMutations(context), ...agentMutations(context) },
      Subscription: subscriptionOf(context),
      Service: serviceFields(context),
      Claim: {
        operator: ({ operator }: Claim, _args: unknown, call: GraphqlCall) => {
          requireDetail(call);
          return operator ?? null;
        },
      },
      PodStatus: {
        node: ({ node }: { readonly node?: string | null }, _args: unknown, call: GraphqlCall) => {
          requireDetail(call);
          return node ?? null;
        },
      },
    },
  }) as GraphQLSchema;
}

/** The schema as text, for `docs/schema.graphql`. */
export const schemaText = () =>
  `${printSchema(lexicographicSortSchema(createSchema({ typeDefs: TYPES, resolvers: SCALARS })))}\n`;

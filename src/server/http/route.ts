import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Operation } from '../../access/operations.ts';
import type { SignedIn } from '../auth/authenticate.ts';
import type { Config } from '../config.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A call that was let in: the caller, and the request as its schemas have read it. */
export interface Call<Q, B> extends SignedIn {
  readonly correlation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Q;
  readonly body: B;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The answer of a handler; `sent` where it has written a stream or a file itself. */
export type Reply =
  | {
      readonly status?: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      /** The tag, where it need not be computed from the body. */
      readonly etag?: string;
    }
  | 'sent';

type Gives = z.ZodType | Readonly<Record<string, z.ZodType | null>>;

/**
 * One call of the protocol as data. Validation, permission and the API description are derived from it; a test
 * compares the table in docs/api.md with it.
 */
export interface Route<Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType> {
  readonly method: Method;
  /** `:name` stands for one part of the path. */
  readonly path: string;
  /** Public, or the operation that src/access decides on. */
  readonly access: 'public' | Operation;
  readonly summary: string;
  readonly query?: Q;
  readonly body?: B;
  /** The form of the body; `bytes` and multipart forms are streams that the handler reads. */
  readonly takes?: 'json' | 'report' | 'bytes' | 'form_or_json';
  /**
   * The route may answer with a stream that does not end: a HEAD request would never be answered. `unnumbered`: its events
   * have no ids to resume after.
   */
  readonly streams?: true | 'unnumbered';
  /**
   * Leases and claims depend on the route: components have a separate limit of requests for it, which nobody
   * else uses up (F49).
   */
  readonly vital?: true;
  /**
   * The verb checks the token in the transaction that it writes in, so that a look from a second ago is enough to let the
   * call in.
   */
  readonly verbChecksToken?: true;
  /** A page, or the server's state at this instant: it has no ETag, and is never a 304. */
  readonly untagged?: true;
  /** The route is about the server alone, and is answered while the store is down. */
  readonly worksWithoutStore?: true;
  /** With an idempotency key the action is done once: the same request again gets the same answer (S7). */
  readonly keyed?: true;
  /** Describes the items of the body, where `body` leaves them to a verdict per item. */
  readonly describes?: z.ZodType;
  readonly answers: Readonly<Record<number, string>>;
  /** The bodies of the answers that have one, of refusals only those that are no problem: as JSON, or by media type where it is something else. */
  readonly gives: Readonly<Record<number, Gives>>;
  readonly handle: (call: Call<z.infer<Q>, z.infer<B>>) => Promise<Reply> | Reply;
}

/** Keeps the schemas' types for the handler, and forgets them for the list. */
export function route<Q extends z.ZodType = typeof nothing, B extends z.ZodType = typeof nothing>(
  definition: Route<Q, B>,
): Route {
  return definition as unknown as Route;
}

/** The route answers 304 to a caller that has this version already. */
export const isTagged = ({ method, streams, untagged }: Route) =>
  method === 'GET' && streams === undefined && untagged === undefined;

export const nothing = z.object({});

/** Reads a number: above the range it is clamped, below the range or malformed it is refused. */
export const clamped = (min: number, max: number, fallback: number) => {
  const schema = z
    .string()
    .regex(/^-?\d+$/, { error: 'must be a whole number', abort: true })
    .refine((text) => Number(text) >= min, `must be ${min} or more`)
    .optional()
    .transform((text) => (text === undefined ? fallback : Math.min(Number(text), max)));
  const otherwise = Number.isFinite(fallback) ? { default: fallback } : {};
  WHOLE_NUMBERS.set(schema, { type: 'integer', minimum: min, maximum: max, ...otherwise });
  return schema;
};

/** The JSON schema of numbers in a query, which arrive as text. */
export const WHOLE_NUMBERS = new WeakMap<z.ZodType, object>();

/** The query of a list that grows with history. */
export const pageQuery = ({ maxPageItems }: Config) => ({
  limit: clamped(1, maxPageItems, Math.min(50, maxPageItems)),
  cursor: z.string().max(500).optional(),
});

/** The query of a short list, which is answered completely unless a limit is requested. */
export const shortListQuery = ({ maxPageItems }: Config) => ({
  limit: clamped(1, maxPageItems, Number.POSITIVE_INFINITY),
  cursor: z.string().max(5_000).optional(),
});

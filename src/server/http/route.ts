import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Operation } from '../../access/operations.ts';
import type { SignedIn } from '../auth/authenticate.ts';
import type { Config } from '../config.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A call that has been let in: who calls, and what was asked, as its schemas have read it. */
export interface Call<Q, B> extends SignedIn {
  readonly correlation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Q;
  readonly body: B;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What a handler answers; a stream or a file has written its answer itself. */
export type Reply =
  | {
      readonly status?: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      /** Its tag, where that need not be worked out from the body. */
      readonly etag?: string;
    }
  | 'sent';

export type Gives = z.ZodType | Readonly<Record<string, z.ZodType | null>>;

/**
 * One call of the protocol, as data: what it takes, who may use it, what it answers. Validation, permission, the
 * API description and the table in docs/api.md all come from here.
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
  /** How the body arrives; `bytes` and `form` are streams that the handler reads. */
  readonly takes?: 'json' | 'report' | 'bytes' | 'form_or_json';
  /** It may answer with a stream that does not end: asking for its head alone would never be answered. */
  readonly streams?: true;
  /** Leases and claims rest on it: what a component sends here has turns that nobody else can use up (F49). */
  readonly vital?: true;
  /**
   * The verb behind it looks at the token in the transaction that it writes in: what was seen of it a moment ago lets
   * in, and costs no look of its own.
   */
  readonly verbChecksToken?: true;
  /** A page, or how the server is at this instant: it has no tag, and is never a 304. */
  readonly untagged?: true;
  /** It tells of the server alone, and needs no store for that. */
  readonly worksWithoutStore?: true;
  /** A key makes it once: the same request again gets the same answer (S7). */
  readonly keyed?: true;
  /** What the body is like inside, where `body` leaves that to a verdict per item. */
  readonly describes?: z.ZodType;
  readonly answers: Readonly<Record<number, string>>;
  /** The bodies of the answers below 400 that have one: as JSON, or by media type where it is something else. */
  readonly gives: Readonly<Record<number, Gives>>;
  readonly handle: (call: Call<z.infer<Q>, z.infer<B>>) => Promise<Reply> | Reply;
}

/** Keeps the schemas' types for the handler, and forgets them for the list. */
export function route<Q extends z.ZodType = typeof nothing, B extends z.ZodType = typeof nothing>(
  given: Route<Q, B>,
): Route {
  return given as unknown as Route;
}

/** Who has what this reads already is told so in a 304. */
export const isTagged = ({ method, streams, untagged }: Route) =>
  method === 'GET' && streams === undefined && untagged === undefined;

export const nothing = z.object({});

/** Above the range is clamped, below it or malformed is refused. */
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

/** How numbers are described that arrive as text, because everything in a query does. */
export const WHOLE_NUMBERS = new WeakMap<z.ZodType, object>();

/** What every list takes that grows with history. */
export const pageQuery = ({ maxPageItems }: Config) => ({
  limit: clamped(1, maxPageItems, Math.min(50, maxPageItems)),
  cursor: z.string().max(500).optional(),
});

/** What a list takes that is answered whole unless a limit is asked for. */
export const wholeQuery = ({ maxPageItems }: Config) => ({
  limit: clamped(1, maxPageItems, Number.POSITIVE_INFINITY),
  cursor: z.string().max(5_000).optional(),
});

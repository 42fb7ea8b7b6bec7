import { z } from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import { permissionOf } from '../../access/operations.ts';
import { PROBLEM_CODES } from '../../contract/problem.ts';
import { SESSION_COOKIE } from '../../contract/session-cookie.ts';
import { isTagged, type Route, WHOLE_NUMBERS } from '../http/route.ts';

/**
 * Describes the routes as OpenAPI 3.1, which uses JSON Schema as our schemas do: the description cannot drift
 * from the validation.
 */
export function openApi(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  const shared: Shared = { Problem: PROBLEM };
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route, shared);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Evident',
      version: manifest.version,
      description: manifest.description,
      license: { name: manifest.license, identifier: manifest.license },
    },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
      },
      schemas: shared,
    },
  };
}

const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'correlation'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: [...PROBLEM_CODES] },
    correlation: { type: 'string' },
    errors: { type: 'array', items: { type: 'string' } },
  },
};

function operation(route: Route, shared: Shared): object {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const query = route.query instanceof z.ZodObject ? queryParameters(route.query) : [];
  const answers = Object.entries({ ...common(route), ...route.answers }).map(([status, description]) => [
    status,
    { description, ...content(route, Number(status), shared) },
  ]);
  return {
    summary: route.summary,
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[/:](\w)?/g, (_, c?: string) => (c ?? '').toUpperCase()).replace(/\W/g, '')}`,
    security: securityOf(route.access),
    'x-access': accessWords(route.access),
    parameters: [...inPath, ...query, ...headers(route)],
    ...requestBody(route, shared),
    responses: Object.fromEntries(answers),
  };
}

/** A browser sends a cookie; only people sign in by a browser. */
function securityOf(access: Route['access']): object[] {
  if (access === 'public') return [];
  const permission = permissionOf(access);
  const isForPeople = permission === 'anyone' || permission.from !== undefined;
  return [{ bearer: [] }, ...(isForPeople ? [{ session: [] }] : [])];
}

/** The answers that any route of this kind may give. */
function common(route: Route): Record<string, string> {
  const { access, method, keyed } = route;
  const takesBody = method === 'POST' || method === 'PUT';
  return {
    ...(isTagged(route) ? { 304: 'what the tag in If-None-Match names' } : {}),
    400: 'invalid_request',
    ...(takesBody ? { 413: 'too_large', 415: 'unsupported_media_type' } : {}),
    ...(keyed ? { 409: 'idempotency_conflict' } : {}),
    ...(access === 'public'
      ? {}
      : {
          401: 'unauthenticated',
          403: 'forbidden',
          429: 'too_many',
          503: 'outcome_unknown, unavailable, no_space',
        }),
  };
}

function accessWords(access: Route['access']): string {
  if (access === 'public') return 'public';
  const permission = permissionOf(access);
  if (permission === 'anyone') return 'any token';
  const { from, components = [] } = permission;
  const people = from === undefined ? [] : [`${from}${from === 'admin' ? '' : ' and above'}`];
  return [...people, ...components].join(', ');
}

/** Headers that change what a call does. */
function headers(route: Route): object[] {
  const names = [
    ...(route.keyed ? ['Idempotency-Key'] : []),
    ...(route.streams === true ? ['Last-Event-ID'] : []),
    ...(isTagged(route) ? ['If-None-Match'] : []),
  ];
  return names.map((name) => ({ name, in: 'header', required: false, schema: { type: 'string' } }));
}

/** The content of an answer. A problem is the same everywhere; some routes have another form of refusal beside it. */
function content({ gives }: Route, status: number, shared: Shared): object {
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  const answer = gives[status];
  if (answer === undefined) return status >= 400 ? { content: problem } : {};
  const types: Readonly<Record<string, z.ZodType | null>> =
    answer instanceof z.ZodType ? { 'application/json': answer } : answer;
  const media = Object.entries(types).map(([type, schema]) => [
    type,
    schema === null ? {} : { schema: jsonSchema(schema, 'output', shared) },
  ]);
  return { content: { ...Object.fromEntries(media), ...(status >= 400 && problem) } };
}

function queryParameters(query: z.ZodObject): object[] {
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: WHOLE_NUMBERS.get(schema as z.ZodType) ?? jsonSchema(schema as z.ZodType, 'input', {}),
  }));
}

function requestBody(route: Route, shared: Shared): object {
  if (route.takes === 'bytes')
    return {
      requestBody: {
        required: true,
        content: { 'application/octet-stream': {} },
      },
    };
  if (route.body === undefined || route.method === 'GET') return {};
  const json = { 'application/json': { schema: jsonSchema(route.describes ?? route.body, 'input', shared) } };
  const form = {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['source'],
        properties: {
          source: { type: 'string', contentMediaType: 'application/octet-stream' },
          spec: { type: 'string', contentMediaType: 'application/json' },
          git: { type: 'string', contentMediaType: 'application/json' },
        },
      },
    },
  };
  const required = !(route.describes ?? route.body).safeParse({}).success;
  return { requestBody: { required, content: route.takes === 'form_or_json' ? { ...json, ...form } : json } };
}

/** Schemas that have a name of their own, described once. */
type Shared = Record<string, object>;

function jsonSchema(schema: z.ZodType, io: 'input' | 'output', shared: Shared): object {
  const described = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const { $schema: _draft, $defs = {}, ...rest } = open(described, io) as Record<string, unknown>;
  Object.assign(shared, $defs);
  return rest;
}

/**
 * Leaves out `additionalProperties: false`, because answers may gain fields, and points references to the
 * shared schemas.
 */
function open(value: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(value)) return value.map((inner) => open(inner, io));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (io === 'output' && key === 'additionalProperties' && inner === false) return [];
    if (key === '$ref') return [[key, String(inner).replace('#/$defs/', '#/components/schemas/')]];
    return [[key, open(inner, io)]];
  });
  return Object.fromEntries(entries);
}

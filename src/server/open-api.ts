import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { PROBLEM_CODES } from '../contract/problem.ts';
import type { Access } from './auth/access.ts';
import type { Route } from './route.ts';

/** OpenAPI 3.1 speaks JSON Schema, and so do our schemas: the description cannot drift from what is checked. */
export function openApi(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route);
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
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: PROBLEM },
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

function operation(route: Route): object {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const query = route.query instanceof z.ZodObject ? queryParameters(route.query) : [];
  const answers = Object.entries({ ...common(route.access), ...route.answers }).map(
    ([status, description]) => [
      status,
      Number(status) < 400
        ? { description }
        : {
            description,
            content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
          },
    ],
  );
  return {
    summary: route.summary,
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[/:](\w)?/g, (_, c?: string) => (c ?? '').toUpperCase()).replace(/\W/g, '')}`,
    security: route.access === 'public' ? [] : [{ bearer: [] }],
    'x-access': accessWords(route.access),
    parameters: [...inPath, ...query, ...headers(route)],
    ...requestBody(route),
    responses: Object.fromEntries(answers),
  };
}

const common = (access: Access): Record<string, string> =>
  access === 'public'
    ? { 400: 'invalid_request' }
    : {
        400: 'invalid_request',
        401: 'unauthenticated',
        403: 'forbidden',
        429: 'too_many',
        503: 'outcome_unknown, unavailable',
      };

export function accessWords(access: Access): string {
  if (access === 'public') return 'public';
  if (access === 'anyone') return 'any token';
  const people =
    access.from === undefined ? [] : [`${access.from}${access.from === 'admin' ? '' : ' and above'}`];
  return [...people, ...(access.components ?? [])].join(', ');
}

/** Headers that change what a call does. */
function headers(route: Route): object[] {
  const people = typeof route.access === 'object' && route.access.from !== undefined;
  const names = [
    ...(route.method === 'POST' && people ? ['Idempotency-Key'] : []),
    ...(route.streams ? ['Last-Event-ID'] : []),
    ...(route.method === 'GET' && !route.streams ? ['If-None-Match'] : []),
  ];
  return names.map((name) => ({ name, in: 'header', required: false, schema: { type: 'string' } }));
}

function queryParameters(query: z.ZodObject): object[] {
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: jsonSchema(schema as z.ZodType),
  }));
}

function requestBody(route: Route): object {
  if (route.takes === 'bytes')
    return {
      requestBody: {
        content: { 'application/octet-stream': { schema: { type: 'string', contentEncoding: 'binary' } } },
      },
    };
  if (route.body === undefined || route.method === 'GET') return {};
  const json = { 'application/json': { schema: jsonSchema(route.body) } };
  const form = {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['source'],
        properties: {
          source: { type: 'string', contentEncoding: 'binary' },
          spec: { type: 'string', contentMediaType: 'application/json' },
          git: { type: 'string', contentMediaType: 'application/json' },
        },
      },
    },
  };
  const required = !route.body.safeParse({}).success;
  return { requestBody: { required, content: route.takes === 'form_or_json' ? { ...json, ...form } : json } };
}

const jsonSchema = (schema: z.ZodType) => {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  }) as Record<string, unknown>;
  return rest;
};

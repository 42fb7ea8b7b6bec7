import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Answered, StreamEvent } from './api.ts';

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
  >;
}

/** Checks the answers of the server against /openapi.json. */
export class DescriptionCheck {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  readonly #operations: readonly {
    readonly path: RegExp;
    readonly of: Readonly<Record<string, Operation>>;
  }[];
  readonly #checks = new Map<object, ValidateFunction>();

  constructor(document: object) {
    // The description allows added fields; here a field that it lacks is a mistake.
    const { paths, components } = closed(document) as {
      paths: Record<string, Record<string, Operation>>;
      components: object;
    };
    this.#ajv.addSchema({ $id: 'api:/', components });
    this.#operations = Object.entries(paths).map(([path, of]) => ({
      path: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      of,
    }));
  }

  /** Describes how an answer differs from the description; null if it does not. An unlisted path is not checked. */
  wrong(method: string, path: string, { status, headers, body }: Answered): string | null {
    const [at = ''] = path.split('?');
    const found = this.#operations.find((operation) => operation.path.test(at))?.of[method.toLowerCase()];
    if (found === undefined) return null;
    const response = found.responses[status];
    if (response === undefined) return `${status} is not described`;
    const [type = ''] = (headers.get('content-type') ?? '').split(';');
    const content = response.content ?? {};
    if (status === 204 || status === 304) return body === '' ? null : `${status} has a body`;
    if (!(type in content)) return `${status} is ${type || 'empty'}, described as ${Object.keys(content)}`;
    const schema = content[type]?.schema;
    if (schema === undefined) return null;
    const documents = type === 'application/x-ndjson' ? String(body).split('\n').filter(Boolean) : [];
    for (const one of type === 'application/x-ndjson' ? documents.map((d) => JSON.parse(d)) : [body]) {
      const wrong = this.#against(schema, one);
      if (wrong !== null) return `${status}: ${wrong}`;
    }
    return null;
  }

  /** The same for one event of a stream. */
  wrongEvent(method: string, path: string, { event, id, data }: StreamEvent): string | null {
    const [at = ''] = path.split('?');
    const found = this.#operations.find((operation) => operation.path.test(at))?.of[method.toLowerCase()];
    const schema = found?.responses[200]?.content?.['text/event-stream']?.schema;
    if (schema === undefined) return 'no events are described';
    return this.#against(schema, { event, ...(id === null ? {} : { id }), data });
  }

  #against(schema: object, one: unknown): string | null {
    const check = this.#check(schema);
    if (check(one)) return null;
    return `${this.#ajv.errorsText(check.errors)} in ${JSON.stringify(one).slice(0, 500)}`;
  }

  #check(schema: object): ValidateFunction {
    const check = this.#checks.get(schema) ?? this.#ajv.compile(schema);
    this.#checks.set(schema, check);
    return check;
  }
}

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    key === '$ref' ? String(inner).replace('#/', 'api:/#/') : closed(inner),
  ]);
  const schema = Object.fromEntries(entries);
  const isProblem = schema.properties?.correlation !== undefined && schema.properties?.code !== undefined;
  const isObject = schema.type === 'object' && typeof schema.properties === 'object' && !isProblem;
  return isObject && schema.additionalProperties === undefined
    ? { ...schema, additionalProperties: false }
    : schema;
}

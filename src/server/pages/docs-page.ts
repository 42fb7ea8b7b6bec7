import { escaped, plainPage } from './plain-pages.ts';

/** The part of JSON Schema that the API description uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly contentMediaType?: string;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface DescribedOperation {
  readonly summary: string;
  readonly 'x-access': string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The page of all calls: `openapi.json` for people to read. */
export function docsPage(openApi: object): string {
  const { paths, components } = openApi as Described;
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  const rows = calls.map(
    ({ name, operation }) =>
      `<tr><td><a href="#${anchor(name)}"><code>${escaped(name)}</code></a></td>` +
      `<td>${escaped(operation.summary)}</td><td>${escaped(operation['x-access'])}</td></tr>`,
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<h3 id="${anchor(name)}"><code>${escaped(name)}</code></h3>${outline(schema)}`,
  );
  return plainPage(
    'Evident: the API',
    `<h1>The API</h1><p>Every call that this server knows, made from what it checks; for programs as <a href="/openapi.json">openapi.json</a>. The same in GraphQL: <a href="/explorer">the explorer</a>.</p>` +
      `<table><tr><th>call</th><th>does</th><th>who</th></tr>${rows.join('')}</table>` +
      `<h2>Calls</h2>${calls.map(({ name, operation }) => callSection(name, operation)).join('')}` +
      `<h2>Schemas</h2>${schemas.join('')}`,
  );
}

function callSection(
  name: string,
  { summary, parameters, requestBody, responses, ...rest }: DescribedOperation,
): string {
  const parameterItems = parameters.map(
    (one) => `<li><code>${escaped(one.name)}</code> in the ${one.in}: ${typeOf(one.schema)}</li>`,
  );
  const answers = Object.entries(responses).map(
    ([status, { description, content }]) =>
      `<li><b>${status}</b> ${escaped(description)}${Number(status) < 400 ? contents(content) : ''}</li>`,
  );
  return (
    `<h3 id="${anchor(name)}"><code>${escaped(name)}</code></h3><p>${escaped(summary)}. For: ${escaped(rest['x-access'])}.</p>` +
    (parameterItems.length === 0 ? '' : `<p>Takes</p><ul>${parameterItems.join('')}</ul>`) +
    (requestBody === undefined ? '' : `<p>Body</p>${contents(requestBody.content)}`) +
    `<p>Answers</p><ul>${answers.join('')}</ul>`
  );
}

const contents = (content: Content = {}) =>
  Object.entries(content)
    .map(([type, { schema }]) => `<div><code>${escaped(type)}</code>${outline(schema ?? {})}</div>`)
    .join('');

/** Lists the fields of an object, and of the objects in it. */
function outline(schema: Schema): string {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) {
    const inner =
      schema.items ?? [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].find((s) => s.properties);
    const own = schema.type === 'object' ? '' : ` ${typeOf(schema)}`;
    return inner?.properties === undefined ? own : `${own}${outline(inner)}`;
  }
  const items = fields.map(([name, field]) => {
    const must = schema.required?.includes(name) ? '' : ' (may be left out)';
    return `<li><code>${escaped(name)}</code>: ${typeOf(field)}${must}${nested(field)}</li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

const nested = (field: Schema): string => {
  const inner = field.properties ? field : (field.items ?? field.anyOf?.find((one) => one.properties));
  return inner?.properties === undefined ? '' : outline(inner);
};

function typeOf(schema: Schema): string {
  const { $ref, type, items, contentMediaType } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return `<a href="#${anchor(name)}"><code>${escaped(name)}</code></a>`;
  }
  if (schema.const !== undefined) return `<code>${escaped(JSON.stringify(schema.const))}</code>`;
  if (schema.enum !== undefined)
    return schema.enum.map((one) => `<code>${escaped(JSON.stringify(one))}</code>`).join(' or ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return [...new Set(either.map(typeOf))].join(' or ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (contentMediaType !== undefined) return escaped(contentMediaType);
  return escaped([type ?? 'anything'].flat().join(' or '));
}

const anchor = (name: string) => encodeURIComponent(name.replace(/[^\w-]+/g, '-'));

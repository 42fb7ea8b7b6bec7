/** The parts of the schema that the explorer lists, as the server describes itself. */
export interface SchemaView {
  readonly types: readonly TypeView[];
}

export interface TypeView {
  readonly name: string;
  readonly kind: 'OBJECT' | 'INPUT_OBJECT' | 'ENUM' | 'SCALAR';
  readonly description: string | null;
  readonly fields: readonly FieldView[] | null;
  readonly inputFields: readonly FieldOfInput[] | null;
  readonly enumValues: readonly { readonly name: string }[] | null;
}

interface FieldView extends ArgumentView {
  readonly args: readonly ArgumentView[];
}

interface FieldOfInput extends ArgumentView {
  readonly args?: undefined;
}

interface ArgumentView {
  readonly name: string;
  readonly description: string | null;
  readonly type: TypeRef;
}

interface TypeRef {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType?: TypeRef | null;
}

/** Asks for what is listed, and no more: a type is a list of non-null items at the deepest. */
export const SCHEMA_QUERY = `{ __schema { types { name kind description
  fields { name description type { ...type } args { name description type { ...type } } }
  inputFields { name description type { ...type } }
  enumValues { name } } } }
fragment type on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`;

/** A type as it is written in a document: `[Transition!]!`. */
export function typeText({ kind, name, ofType }: TypeRef): string {
  if (ofType == null) return name ?? '';
  return kind === 'LIST' ? `[${typeText(ofType)}]` : `${typeText(ofType)}!`;
}

/** The type behind lists and exclamation marks. */
export const namedType = ({ name, ofType }: TypeRef): string =>
  ofType == null ? (name ?? '') : namedType(ofType);

const FIRST = ['Query', 'Mutation', 'Subscription'];

/** The roots first, then by name; what describes the schema itself is left out. */
export function listedTypes({ types }: SchemaView): readonly TypeView[] {
  const rank = ({ name }: TypeView) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return types
    .filter(({ name }) => !name.startsWith('__'))
    .toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

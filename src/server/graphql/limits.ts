import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';

/** The limits of a document, checked before anything of it is carried out (F103). */
const MAX_CHARACTERS = 100_000;
const MAX_TOKENS = 1_000;
const MAX_DEPTH = 10;
/** Caps how often one field may be asked for under other names. */
const MAX_ALIASES = 15;
/** The items that all lists of a document may hold together, lists inside lists multiplied. */
const MAX_ITEMS = 5_000;

/** The size of each list of which no other is named. */
const DEFAULT_FIRST: Readonly<Record<string, number>> = {
  services: 50,
  deploymentStatuses: 50,
  podStatuses: 50,
  revisions: 20,
  transitions: 50,
  evidence: 50,
};
/** A claim of the past is recomputed from the ledger, which costs as much as a page of history. */
const CLAIM_OF_THE_PAST = 20;

/** Parses a document, or refuses it as too large, too deep or too often the same. */
export function parseWithinLimits(text: string): DocumentNode {
  if (text.length > MAX_CHARACTERS) throw tooMuch(`A document has at most ${MAX_CHARACTERS} characters.`);
  const document = parse(text, { maxTokens: MAX_TOKENS });
  const shape = new DocumentSize(document);
  for (const operation of shape.operations) {
    const { depth, aliases } = shape.of(operation.selectionSet);
    if (depth > MAX_DEPTH) throw tooMuch(`A document is at most ${MAX_DEPTH} fields deep, not ${depth}.`);
    for (const [field, count] of aliases)
      if (count > MAX_ALIASES)
        throw tooMuch(`A document asks for one field under at most ${MAX_ALIASES} names: ${field}.`);
  }
  return document;
}

/** Refuses an operation whose lists may hold too many items together, as its variables size them. */
export function requireFewItems(
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Readonly<Record<string, unknown>>,
): void {
  const shape = new DocumentSize(document);
  for (const { name, operation, selectionSet } of shape.operations) {
    if (operationName != null && name?.value !== operationName) continue;
    if (operation === 'subscription') continue;
    const items = shape.items(selectionSet, variables);
    if (items > MAX_ITEMS)
      throw tooMuch(
        `The lists of this document may hold ${items} items together, and at most ${MAX_ITEMS} are read at once; ask for fewer by first.`,
      );
  }
}

const tooMuch = (detail: string) => new GraphQLError(detail, { extensions: { code: 'invalid_request' } });

interface Measures {
  readonly depth: number;
  /** Counts, for each field, how often it is asked for under another name. */
  readonly aliases: ReadonlyMap<string, number>;
}

const EMPTY: Measures = { depth: 0, aliases: new Map() };

/**
 * Measures a document as if its fragments were written out. Each fragment is measured once, however often it is spread:
 * fragments that spread each other twice would otherwise double the work with each of them.
 */
class DocumentSize {
  readonly operations: readonly OperationDefinitionNode[];
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #shapes = new Map<string, Measures>();
  readonly #items = new Map<string, number>();

  constructor({ definitions }: DocumentNode) {
    this.operations = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
    this.#fragments = new Map(
      definitions.flatMap((one) =>
        one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
      ),
    );
  }

  of({ selections }: SelectionSetNode): Measures {
    let depth = 0;
    const aliases = new Map<string, number>();
    for (const selection of selections) {
      const inner =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? this.#ofFragment(selection.name.value)
          : selection.selectionSet === undefined || isIntrospection(selection)
            ? EMPTY
            : this.of(selection.selectionSet);
      const isField = selection.kind === Kind.FIELD;
      depth = Math.max(depth, inner.depth + (isField ? 1 : 0));
      for (const [field, count] of inner.aliases) aliases.set(field, (aliases.get(field) ?? 0) + count);
      if (isField && selection.alias !== undefined)
        aliases.set(selection.name.value, (aliases.get(selection.name.value) ?? 0) + 1);
    }
    return { depth, aliases };
  }

  #ofFragment(name: string): Measures {
    const known = this.#shapes.get(name);
    if (known !== undefined) return known;
    // A fragment that leads back to itself counts as nothing here; validation refuses it.
    this.#shapes.set(name, EMPTY);
    const fragment = this.#fragments.get(name);
    const shape = fragment === undefined ? EMPTY : this.of(fragment.selectionSet);
    this.#shapes.set(name, shape);
    return shape;
  }

  items({ selections }: SelectionSetNode, variables: Readonly<Record<string, unknown>>): number {
    let items = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        items += this.#itemsOfFragment(selection.name.value, variables);
      else if (selection.selectionSet !== undefined && !isIntrospection(selection)) {
        const inside = this.items(selection.selectionSet, variables);
        items += selection.kind === Kind.FIELD ? itemsOf(selection, inside, variables) : inside;
      }
    }
    return items;
  }

  #itemsOfFragment(name: string, variables: Readonly<Record<string, unknown>>): number {
    const known = this.#items.get(name);
    if (known !== undefined) return known;
    this.#items.set(name, 0);
    const fragment = this.#fragments.get(name);
    const items = fragment === undefined ? 0 : this.items(fragment.selectionSet, variables);
    this.#items.set(name, items);
    return items;
  }
}

/** The description of the schema has a limit of its own in GraphQL’s validation, and its usual query is deep. */
const isIntrospection = (selection: { readonly kind: string; readonly name?: { readonly value: string } }) =>
  selection.kind === Kind.FIELD && (selection.name?.value.startsWith('__') ?? false);

function itemsOf(field: FieldNode, inside: number, variables: Readonly<Record<string, unknown>>): number {
  const name = field.name.value;
  if (name === 'claimAt') return CLAIM_OF_THE_PAST + inside;
  const size = DEFAULT_FIRST[name];
  if (size === undefined) return inside;
  const first = field.arguments?.find((argument) => argument.name.value === 'first')?.value;
  const named =
    first?.kind === Kind.INT
      ? Number(first.value)
      : first?.kind === Kind.VARIABLE
        ? variables[first.name.value]
        : undefined;
  return (typeof named === 'number' && named > 0 ? named : size) * (1 + inside);
}

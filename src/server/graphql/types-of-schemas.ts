import type { z } from 'zod';
import { SERVICE_ACTIONS } from '../../contract/actions.ts';
import { DIGITS } from '../../contract/digits.ts';
import { PROBLEM_CODES } from '../../contract/problem.ts';
import {
  CAUSE_CODES,
  COMMAND_KINDS,
  MOVERS,
  OUTCOMES,
  OWNERS,
  PHASES,
  REJECTIONS,
  REVISION_KINDS,
  ROLES,
  STAGES,
  STATES,
} from '../../contract/vocabulary.ts';

/** The names of the model's own lists of words. Any other list is named for the field that it is the type of. */
const WORD_LISTS: Readonly<Record<string, readonly string[]>> = {
  State: STATES,
  Outcome: OUTCOMES,
  Stage: STAGES,
  Phase: PHASES,
  Role: ROLES,
  Owner: OWNERS,
  RevisionKind: REVISION_KINDS,
  CommandKind: COMMAND_KINDS,
  CauseCode: CAUSE_CODES,
  Rejection: REJECTIONS,
  Mover: MOVERS,
  ServiceAction: SERVICE_ACTIONS,
  ProblemCode: PROBLEM_CODES,
  Verdict: ['admitted', 'rejected'],
};

type FieldSchemas = Readonly<Record<string, z.ZodType>>;

/** The description that a schema of zod carries, as far as it is read here. */
interface SchemaDefinition {
  readonly type: string;
  readonly format?: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly values?: readonly unknown[];
  readonly entries?: Readonly<Record<string, string>>;
  readonly shape?: FieldSchemas;
  readonly catchall?: z.ZodType;
  readonly out?: z.ZodType;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly pattern?: RegExp } } }[];
}

const definitionOf = (schema: z.ZodType) => schema.def as unknown as SchemaDefinition;

/** The type of a field: its name, with `!` where it is never null. */
interface FieldType {
  readonly name: string;
  readonly isNullable: boolean;
}

/** `input`: what a caller may leave out. `output`: what an answer may lack. */
type Direction = 'input' | 'output';

/** A name of GraphQL; words like `build.progress` are none, and go as text. */
const NAME = /^(?!true$|false$|null$)[A-Za-z][A-Za-z0-9_]*$/;

/** Numbers that may be larger than an integer of GraphQL, which has 32 bits: milliseconds and bytes. */
const LARGE = /(?:Ms|^ms|size|Size)$/;

/**
 * Writes types in the language of GraphQL from the schemas by which HTTP describes the same things, so that the two cannot
 * differ. An object inside another is named for both (`ClaimFreshness`), unless `named` has a name for it.
 */
export class TypeWriter {
  readonly #types = new Map<string, string>();
  readonly #named: Readonly<Record<string, string>>;

  constructor(named: Readonly<Record<string, string>> = {}) {
    this.#named = named;
  }

  /** Adds the type of an answer with all types inside it. */
  output(name: string, schema: z.ZodObject): this {
    return this.#object(name, schema.shape, 'output');
  }

  input(name: string, schema: z.ZodObject): this {
    return this.#object(name, schema.shape, 'input');
  }

  /** Adds a list of words. */
  words(name: string): this {
    const words = WORD_LISTS[name] ?? [];
    this.#types.set(name, `enum ${name} {\n${words.map((word) => `  ${word}`).join('\n')}\n}`);
    return this;
  }

  text(): string {
    return [...this.#types.values()].join('\n\n');
  }

  #object(name: string, shape: FieldSchemas, direction: Direction): this {
    if (this.#types.has(name)) return this;
    // Keeps its place before the types inside it.
    this.#types.set(name, '');
    const fields = Object.entries(shape).map(([field, schema]) => {
      const { name: type, isNullable } = this.#type(schema, name, field, direction);
      return `${described(schema)}  ${field}: ${type}${isNullable ? '' : '!'}`;
    });
    this.#types.set(name, `${direction === 'input' ? 'input' : 'type'} ${name} {\n${fields.join('\n')}\n}`);
    return this;
  }

  #type(schema: z.ZodType, parent: string, field: string, direction: Direction): FieldType {
    const definition = definitionOf(schema);
    const { type, innerType, element, options = [], shape, catchall, out } = definition;
    const inner = (of: z.ZodType | undefined) =>
      of === undefined ? JSON_VALUE : this.#type(of, parent, field, direction);
    switch (type) {
      case 'optional':
      case 'nullable':
        return { ...inner(innerType), isNullable: true };
      case 'default':
      case 'prefault':
      case 'catch':
        return direction === 'input' ? { ...inner(innerType), isNullable: true } : inner(innerType);
      case 'pipe':
        return inner(out);
      case 'array': {
        const { name, isNullable } = inner(element);
        return { name: `[${name}${isNullable ? '' : '!'}]`, isNullable: false };
      }
      case 'string':
        return { name: textType(definition), isNullable: false };
      case 'number':
        return {
          name: definition.format === 'safeint' && !LARGE.test(field) ? 'Int' : 'Float',
          isNullable: false,
        };
      case 'boolean':
        return { name: 'Boolean', isNullable: false };
      case 'literal':
      case 'enum':
        return { name: this.#wordsOf(definition, parent, field), isNullable: false };
      case 'object':
        if (shape === undefined || catchall?.def.type === 'unknown') return JSON_VALUE;
        return { name: this.#inside(parent, field, shape, direction), isNullable: false };
      case 'union':
        return this.#union(options, parent, field, direction);
      default:
        return JSON_VALUE;
    }
  }

  #inside(parent: string, field: string, shape: FieldSchemas, direction: Direction): string {
    const name = this.#named[`${parent}.${field}`] ?? joined(parent, field);
    this.#object(name, shape, direction);
    return name;
  }

  /** Alternatives of one object become that object, with a null for what one of them lacks. Others are any value. */
  #union(options: readonly z.ZodType[], parent: string, field: string, direction: Direction): FieldType {
    const shapes = options.map((option) => definitionOf(option).shape).filter((shape) => shape !== undefined);
    if (shapes.length < options.length) return JSON_VALUE;
    const fields = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
    const merged = fields.map((name): [string, z.ZodType] => {
      const schemas = shapes.flatMap((shape) => shape[name] ?? []);
      const [first] = schemas as [z.ZodType];
      const isEverywhere =
        schemas.length === shapes.length && schemas.every(({ def }) => def.type !== 'null');
      const alike = schemas.find((one) => !isNullOnly(one)) ?? first;
      return [name, isEverywhere && !schemas.some(isNullOnly) ? alike : alike.optional()];
    });
    return { name: this.#inside(parent, field, Object.fromEntries(merged), direction), isNullable: false };
  }

  #wordsOf({ type, values = [], entries = {} }: SchemaDefinition, parent: string, field: string): string {
    const words = type === 'literal' ? values : Object.values(entries);
    if (words.every((word) => typeof word === 'boolean')) return 'Boolean';
    const found = Object.entries(WORD_LISTS).find(([, list]) => sameWords(list, words));
    if (found !== undefined) {
      this.words(found[0]);
      return found[0];
    }
    if (type === 'literal' || !words.every((word) => NAME.test(String(word)))) return 'String';
    const name = joined(parent, field);
    this.#types.set(name, `enum ${name} {\n${words.map((word) => `  ${word}`).join('\n')}\n}`);
    return name;
  }
}

const joined = (parent: string, field: string) =>
  `${parent}${field.charAt(0).toUpperCase()}${field.slice(1)}`;

const JSON_VALUE: FieldType = { name: 'JSON', isNullable: true };

const isNullOnly = ({ def }: z.ZodType) =>
  def.type === 'null' || (def.type === 'literal' && definitionOf({ def } as z.ZodType).values?.[0] === null);

const sameWords = (list: readonly string[], words: readonly unknown[]) =>
  list.length === words.length && list.every((word) => words.includes(word));

function textType({ format, checks = [] }: SchemaDefinition): string {
  if (format === 'datetime') return 'DateTime';
  const isDigits = checks.some(({ _zod }) => _zod.def.pattern?.source === DIGITS.source);
  return isDigits ? 'Digits' : 'String';
}

function described({ description }: z.ZodType): string {
  return description === undefined ? '' : `  ${JSON.stringify(description)}\n`;
}

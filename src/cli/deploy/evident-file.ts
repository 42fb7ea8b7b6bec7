import { existsSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join, normalize } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Spec, specSchema } from '../../contract/intent.ts';
import { similarName } from '../../contract/presentation/similar-name.ts';
import { issues } from '../../contract/report.ts';
import { fieldsOf, type SpecField } from '../../contract/spec-fields.ts';
import { UsageError } from '../print-problem.ts';

/** The builder reads the same two names, in the same order. */
export const FILES = ['evident.yaml', 'evident.yml'] as const;

const root = z
  .string()
  .refine((path) => !isAbsolute(path) && !normalize(path).startsWith('..'), 'must be a folder inside')
  .optional();
const serviceSchema = specSchema.extend({
  name: z.string().optional(),
  target: z.string().optional(),
  root,
});
const severalSchema = z.strictObject({
  target: z.string().optional(),
  services: z.union([
    z.record(z.string(), serviceSchema.omit({ name: true }).nullable()),
    z.array(serviceSchema.extend({ name: z.string() })),
  ]),
});

/** One service that a file describes. */
export interface EvidentService {
  readonly name: string | null;
  readonly target: string | null;
  /** The folder of its app, seen from the deployed one. */
  readonly root: string | null;
  readonly spec: Spec;
  /** The fields that it declares; null: there is no file. */
  readonly declared: readonly SpecField[] | null;
}

/** The content of `evident.yaml`: one service, or several under `services`. */
export interface EvidentFile {
  /** Its name, for sentences to people. */
  readonly file: string;
  readonly isSeveral: boolean;
  readonly services: readonly EvidentService[];
}

const NO_FILE: EvidentService = { name: null, target: null, root: null, spec: {}, declared: null };

/** Reads the named file, else `evident.yaml` of the folder. A missing `evident.yaml` counts as an empty one. */
export function readEvidentFile(dir: string, named: string | null = null): EvidentFile {
  const found = FILES.find((name) => existsSync(join(dir, name)));
  if (named === null && found === undefined) return { file: FILES[0], isSeveral: false, services: [NO_FILE] };
  const path = named ?? join(dir, found ?? '');
  const file = named ?? basename(path);
  const document = parsed(path, file);
  if (typeof document === 'object' && document !== null && 'services' in document) {
    const { target = null, services } = checked(severalSchema, document, file);
    const all = Array.isArray(services)
      ? services
      : Object.entries(services).map(([name, service]) => ({ ...service, name }));
    if (all.length === 0) throw new UsageError(`${file} names no service under services.`);
    refuseTwice(file, all);
    return { file, isSeveral: true, services: all.map((one) => serviceOf(one, target)) };
  }
  return { file, isSeveral: false, services: [serviceOf(checked(serviceSchema, document, file), null)] };
}

function parsed(path: string, file: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8')) ?? {};
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message.split('\n')[0]}`);
  }
}

function serviceOf(read: z.infer<typeof serviceSchema>, shared: string | null): EvidentService {
  const { name = null, target = shared, root = null, ...spec } = read;
  return { name, target, root, spec, declared: [...fieldsOf(spec).keys()] };
}

function refuseTwice(
  file: string,
  all: readonly { readonly name: string; readonly target?: string | undefined }[],
) {
  const refs = all.map(({ name, target = '' }) => `${name}@${target}`);
  const twice = all.find((_, i) => refs.indexOf(refs[i] ?? '') !== i);
  if (twice !== undefined) throw new UsageError(`${file} names the service ${twice.name} twice.`);
}

function checked<T>(schema: z.ZodType<T>, document: unknown, file: string): T {
  const read = schema.safeParse(document);
  if (read.success) return read.data;
  const unknown = unknownKeys(read.error.issues);
  const wrong = unknown.length > 0 ? unknown.join(' ') : `${issues(read.error).join('; ')}.`;
  throw new UsageError(`${file} is not understood: ${wrong}`);
}

/** Names each field that there is not, with the one that was probably meant. */
function unknownKeys(found: readonly z.core.$ZodIssue[]): string[] {
  return found.flatMap((issue) => {
    // A union reports what each of its members found wrong; the one that got furthest has the mistake.
    if (issue.code === 'invalid_union')
      return (
        issue.errors
          .map((inner) => unknownKeys(inner.map((one) => ({ ...one, path: [...issue.path, ...one.path] }))))
          .find((lines) => lines.length > 0) ?? []
      );
    if (issue.code !== 'unrecognized_keys') return [];
    const within = issue.path.join('.');
    return issue.keys.map((key) => {
      const meant = similarName(key, KEYS[String(issue.path.at(-1))] ?? ALL_KEYS);
      const place = within === '' ? '' : ` in ${within}`;
      return `No field “${key}”${place}.${meant === null ? '' : ` Did you mean ${meant}?`}`;
    });
  });
}

const ALL_KEYS = [...Object.keys(serviceSchema.shape), 'services'];
const keysOf = (field: z.ZodType): string[] =>
  field instanceof z.ZodOptional
    ? keysOf(field.unwrap() as z.ZodType)
    : field instanceof z.ZodObject
      ? Object.keys(field.shape)
      : [];
/** The fields inside a field, by its name. */
const KEYS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(specSchema.shape).flatMap(([name, field]) => {
    const keys = keysOf(field);
    return keys.length === 0 ? [] : [[name, keys]];
  }),
);

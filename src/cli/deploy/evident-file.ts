import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Spec, specSchema } from '../../contract/intent.ts';
import { issues } from '../../contract/report.ts';
import { fieldsOf, type SpecField } from '../../contract/spec-fields.ts';
import { UsageError } from '../print-problem.ts';

/** The builder reads the same two names, in the same order. */
const FILES = ['evident.yaml', 'evident.yml'] as const;
const fileSchema = specSchema.extend({ name: z.string().optional(), target: z.string().optional() });

export interface EvidentFile {
  readonly name: string | null;
  readonly target: string | null;
  readonly spec: Spec;
  /** The fields that it declares; null: there is no file. */
  readonly declared: readonly SpecField[] | null;
}

/**
 * Reads `evident.yaml` of a folder: a name, perhaps a target, and a spec. A missing file counts as an empty
 * one.
 */
export function readEvidentFile(dir: string): EvidentFile {
  const file = FILES.find((name) => existsSync(join(dir, name)));
  if (file === undefined) return { name: null, target: null, spec: {}, declared: null };
  let found: unknown;
  try {
    found = parse(readFileSync(join(dir, file), 'utf8')) ?? {};
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message.split('\n')[0]}`);
  }
  const read = fileSchema.safeParse(found);
  if (!read.success) throw new UsageError(`${file} is not understood: ${issues(read.error).join('; ')}.`);
  const { name = null, target = null, ...spec } = read.data;
  return { name, target, spec, declared: [...fieldsOf(spec).keys()] };
}

import { parse } from 'yaml';
import { z } from 'zod';
import { type Spec, specSchema } from '../contract/intent.ts';
import type { FolderContents } from './folder-contents.ts';
import { BuildFailure } from './recipe.ts';

/** The fields of a spec that a build depends on. */
export type BuildSettings = Pick<Spec, 'build' | 'command' | 'procfile' | 'port' | 'env' | 'root'>;

interface FolderSettings extends BuildSettings {
  readonly notes: readonly string[];
}

/** Unknown keys are ignored with a note: a client that deploys the folder may read more fields from it. */
const fileSchema = z.object({ ...specSchema.shape, name: z.string() }).partial();
/** Keys that only the client reads are no reason for a note. */
const FILE_KEYS: ReadonlySet<string> = new Set([
  ...Object.keys(fileSchema.shape),
  'target',
  'root',
  'services',
]);

/**
 * The spec, completed by `evident.yaml` in the folder where the spec leaves a field open. The spec comes with
 * its defaults filled in, so a port of `auto` counts as open.
 */
export function settingsOf(contents: FolderContents, spec: BuildSettings): FolderSettings {
  const file = contents.files.has('evident.yaml') ? 'evident.yaml' : 'evident.yml';
  const text = contents.text(file);
  const { said, notes } = text === null ? NOTHING : read(file, text);
  return {
    notes,
    ...pick(said),
    ...pick(spec),
    ...(spec.port === 'auto' && said.port !== undefined ? { port: said.port } : {}),
    env: { ...said.env, ...spec.env },
  };
}

const NOTHING: ReturnType<typeof read> = { said: {}, notes: [] };

function pick({ build, command, procfile, port }: BuildSettings): BuildSettings {
  return {
    ...(build === undefined ? {} : { build }),
    ...(command === undefined ? {} : { command }),
    ...(procfile === undefined ? {} : { procfile }),
    ...(port === undefined ? {} : { port }),
  };
}

function read(file: string, text: string): { said: z.infer<typeof fileSchema>; notes: string[] } {
  let document: unknown;
  try {
    document = parse(text) ?? {};
  } catch (error) {
    throw new BuildFailure(
      'source_invalid',
      `${file} is not YAML: ${(error as Error).message.split('\n')[0]}`,
    );
  }
  const parsed = fileSchema.safeParse(document);
  if (parsed.success) {
    const others = Object.keys(document as object).filter((key) => !FILE_KEYS.has(key));
    const note = `${file}: not known to the builder, and passed over: ${others.join(', ')}`;
    return { said: parsed.data, notes: others.length === 0 ? [] : [note] };
  }
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  throw new BuildFailure('source_invalid', `${file} is not valid: ${wrong.join('; ')}`);
}

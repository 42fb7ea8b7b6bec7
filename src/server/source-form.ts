import { storeSource } from '../artifact/source-archive.ts';
import { SOURCE_LIMITS } from '../artifact/source-rules.ts';
import { parseJson } from './json.ts';
import type { Parts } from './parts.ts';
import { Refused } from './problems.ts';
import type { Call } from './route.ts';

export interface SourceForm {
  readonly source: string;
  readonly spec: object;
  readonly git: unknown;
}

/**
 * A deployment as a form: `source`, a tar or tar.gz, goes to the artifact store while it arrives and is never held
 * in memory; `spec` and `git` are JSON. Bytes that nothing refers to in the end are collected like any others.
 */
export async function readForm(
  { artifacts, host, config }: Parts,
  { request, caller }: Call<unknown, unknown>,
): Promise<SourceForm> {
  let stored: { digest: string; size: number } | null = null;
  const fields: { spec?: unknown; git?: unknown } = {};
  for await (const part of request.parts()) {
    const name = part.fieldname;
    if (part.type === 'file' && (name === 'spec' || name === 'git')) {
      fields[name] = parseJson((await part.toBuffer()).toString('utf8'));
    } else if (part.type === 'file') {
      if (part.fieldname !== 'source' || stored !== null)
        throw invalid(`the file ${part.fieldname.slice(0, 50)} is not expected`);
      stored = await storeSource(artifacts, part.file, { ...SOURCE_LIMITS, maxBytes: config.maxSourceBytes });
    } else if (part.fieldname === 'spec' || part.fieldname === 'git') {
      if (part.valueTruncated) throw invalid(`${part.fieldname} is too long`);
      fields[part.fieldname] = typeof part.value === 'string' ? parseJson(part.value) : part.value;
    } else throw invalid(`the field ${part.fieldname.slice(0, 50)} is not expected`);
  }
  if (stored === null) throw invalid('the file source is missing');
  const { digest, size } = stored;
  await host.store.transact((tx) => tx.insert('artifacts', { org: caller.org, digest, size }));
  const { spec = {} } = fields;
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) throw invalid('spec is no object');
  return { source: digest, spec, git: fields.git };
}

const invalid = (what: string) =>
  new Refused('invalid_request', `The form is not valid: ${what}.`, { errors: [what] });

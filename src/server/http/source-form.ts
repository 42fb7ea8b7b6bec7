import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { storeSource } from '../../artifact/source-archive.ts';
import { SOURCE_LIMITS } from '../../artifact/source-rules.ts';
import type { ServerContext } from '../context.ts';
import { notUtf8, parseJson } from './json.ts';
import { Refused } from './problems.ts';
import type { Call } from './route.ts';

export interface StoredSource {
  readonly digest: string;
  readonly size: number;
}

interface SourceForm {
  readonly source: StoredSource;
  readonly spec: object;
  readonly git?: unknown;
  readonly unset?: unknown;
  readonly declared?: unknown;
}

/**
 * Reads a deployment from a form. `source`, a tar or tar.gz, is streamed to the artifact store and never held
 * in memory; the other parts are JSON. Each part is read as a stream, with or without a file name. Bytes
 * that no row refers to in the end are collected like any others.
 */
export async function readForm(
  context: ServerContext,
  { request }: Pick<Call<unknown, unknown>, 'request'>,
): Promise<SourceForm> {
  try {
    checkBoundary(request.headers['content-type'] ?? '');
    return await readParts(context, request);
  } catch (error) {
    // A client that still sends does not read: the rest is discarded.
    request.raw.unpipe();
    request.raw.resume();
    throw error;
  }
}

/** A boundary has at most 70 characters (RFC 2046, 5.1.1); the parser throws at one that is much longer. */
function checkBoundary(type: string): void {
  const [, quoted, bare] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(type) ?? [];
  const { length } = quoted ?? bare ?? '';
  if (length < 1 || length > 70) throw invalid('the boundary has 1 to 70 characters');
}

const JSON_PARTS = ['spec', 'git', 'unset', 'declared'] as const;
type JsonPart = (typeof JSON_PARTS)[number];
const isJsonPart = (name: string): name is JsonPart => (JSON_PARTS as readonly string[]).includes(name);

async function readParts({ artifacts, config }: ServerContext, request: FastifyRequest): Promise<SourceForm> {
  let source: StoredSource | null = null;
  const fields: { [part in JsonPart]?: unknown } = {};
  for await (const part of request.parts({ isPartAFile: () => true })) {
    // The parser leaves it out where the part does.
    const name = part.fieldname as string | undefined;
    if (!name) throw invalid('a part has no name');
    if (part.type === 'file' && isJsonPart(name) && !(name in fields))
      fields[name] = parseJson(await textOf(name, part.file, config.maxJsonBytes));
    else if (part.type === 'file' && name === 'source' && source === null)
      source = await storeSource(artifacts, part.file, { ...SOURCE_LIMITS, maxBytes: config.maxSourceBytes });
    else
      throw invalid(
        `the part ${name.slice(0, 50)} ${name === 'source' || isJsonPart(name) ? 'comes twice' : 'is not expected'}`,
      );
  }
  if (source === null) throw invalid('the part source is missing');
  const { spec = {}, ...rest } = fields;
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec))
    throw invalid('spec must be an object');
  return { source: { digest: source.digest, size: source.size }, spec, ...rest };
}

/**
 * Reads a part to its end even if it is too long, because a client that still sends does not read the
 * refusal.
 */
async function textOf(name: string, bytes: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
  }
  if (size > limit)
    throw new Refused('too_large', `${name} is larger than ${limit} bytes, the limit here.`, {
      limit,
    });
  const text = Buffer.concat(chunks);
  if (!isUtf8(text)) throw notUtf8();
  return text.toString();
}

const invalid = (what: string) =>
  new Refused('invalid_request', `The form is not valid: ${what}.`, { errors: [what] });

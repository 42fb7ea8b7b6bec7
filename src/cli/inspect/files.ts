import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type BadDocument, type Documents, documentsIn } from './documents.ts';

/** Files that count in a directory, as with `kubectl -f DIR`. */
const MANIFEST = /\.(?:json|yaml|yml)$/;

/** Reads every named file, directory, or standard input (`-`). A file that cannot be read is a bad document too. */
export async function readFiles(names: readonly string[]): Promise<Documents> {
  const read = await Promise.all(names.map((name) => readOne(name)));
  return { objects: read.flatMap(({ objects }) => objects), bad: read.flatMap(({ bad }) => bad) };
}

async function readOne(name: string): Promise<Documents> {
  try {
    if (name === '-') return documentsIn(await text(process.stdin), 'standard input');
    if ((await stat(name)).isDirectory()) return await readFiles(await manifestsIn(name));
    return documentsIn(await readFile(name, 'utf8'), name);
  } catch (error) {
    return { objects: [], bad: [unreadable(name, error)] };
  }
}

async function manifestsIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory);
  return entries
    .filter((entry) => MANIFEST.test(entry))
    .sort()
    .map((entry) => join(directory, entry));
}

function unreadable(where: string, error: unknown): BadDocument {
  return { where, why: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
}

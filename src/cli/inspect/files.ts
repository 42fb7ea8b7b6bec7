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
    if ((await stat(name)).isDirectory()) {
      const manifests = await manifestsIn(name);
      return manifests.length === 0 ? { objects: [], bad: [emptyFolder(name)] } : await readFiles(manifests);
    }
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

/** As with an empty file: it is more often a wrong path than nothing to judge. */
const emptyFolder = (where: string): BadDocument => ({
  where,
  why: 'is empty: there is no .yaml, .yml or .json file in it',
});

function unreadable(where: string, error: unknown): BadDocument {
  return { where, why: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
}

import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The contents of a folder, as far as they are needed to recognise its language. */
export interface FolderContents {
  /** Files down to the third level, with `/` between names. */
  readonly files: ReadonlySet<string>;
  /** The text of a small file, or null if it is missing. */
  text(path: string): string | null;
}

const DEPTH = 3;
const MAX_FILES = 20_000;
const MAX_TEXT_BYTES = 1024 * 1024;
const PASSED_OVER = new Set(['node_modules', '.git', '.venv', '.evident']);

export function readFolderContents(dir: string): FolderContents {
  const files = new Set<string>();
  list(dir, '', files, 1);
  return {
    files,
    text: (path) => {
      if (!files.has(path)) return null;
      const at = join(dir, path);
      return statSync(at).size > MAX_TEXT_BYTES ? null : readFileSync(at, 'utf8');
    },
  };
}

function list(dir: string, under: string, files: Set<string>, depth: number): void {
  const entries: Dirent[] = readdirSync(join(dir, under), { withFileTypes: true });
  for (const entry of entries) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    if (entry.isFile()) files.add(path);
    else if (entry.isDirectory() && depth < DEPTH && !PASSED_OVER.has(entry.name))
      list(dir, path, files, depth + 1);
    if (files.size >= MAX_FILES) return;
  }
}

/**
 * Holds src/ and web/ to scripts/import-table.ts.
 *
 * Rejected: Biome's noRestrictedImports, which sees the import's text, not the file it leads to. It therefore misses
 * `import('…').Row` in types, refuses a subfolder that happens to share a name with a folder of ours, and as a
 * deny list lets every new folder through. Biome does check what a pure folder touches without importing it
 * (clocks, randomness, globals): biome.json and scripts/pure.grit.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { filesIn } from './files-in.ts';
import { IMPORT_TABLE, ONE_WAY, PURE_FOLDERS } from './import-table.ts';

// By require: importing this one big CommonJS file costs half a second more, in every check.
const ts: typeof import('typescript') = createRequire(import.meta.url)('typescript');

export type StructureViolation = { readonly file: string; readonly line: number; readonly message: string };

/** `file` is relative to the repository's root, with forward slashes. */
export function violationsIn(file: string, text: string): StructureViolation[] {
  const folder = folderOf(file);
  if (folder === undefined || !(folder in IMPORT_TABLE)) {
    const where = folder === undefined ? 'src/ itself' : `src/${folder}/`;
    return [{ file, line: 1, message: `${where} has no row in scripts/import-table.ts` }];
  }
  // Tests stand outside the layers: they compose what they need.
  if (file.endsWith('.test.ts')) return [];

  return ts.preProcessFile(text, true, true).importedFiles.flatMap(({ fileName, pos }) => {
    const message = refusal(file, folder, fileName);
    return message === undefined ? [] : [{ file, line: text.slice(0, pos).split('\n').length, message }];
  });
}

function refusal(file: string, folder: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return refusalOfPackage(folder, specifier);

  const target = posix.join(posix.dirname(file), specifier);
  if (target === 'package.json') return undefined;
  if (folderOf(target) === undefined) return `${specifier} leads to no folder of the import table`;

  const other = folderOf(target);
  if (other === folder) return refusalOfWay(file, target);
  if (other !== undefined && mayImport(folder, other)) return undefined;
  return `${folder} may not import ${other ?? target} (${specifier})`;
}

function refusalOfWay(file: string, target: string): string | undefined {
  for (const [from, { mayNot }] of Object.entries(ONE_WAY)) {
    const closed = file.startsWith(from) ? mayNot.find((way) => target.startsWith(way)) : undefined;
    if (closed !== undefined) return `${from} may not import ${closed} (${target})`;
  }
  return undefined;
}

function refusalOfPackage(folder: string, specifier: string): string | undefined {
  const packages = PURE_FOLDERS[folder]?.packages;
  if (packages === undefined) return undefined;
  if (packages.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return undefined;
  return `${folder} is pure: it may not import ${specifier}`;
}

function mayImport(folder: string, other: string): boolean {
  const row = IMPORT_TABLE[folder];
  if (row === undefined || !(other in IMPORT_TABLE) || other === 'web') return false;
  return 'may' in row ? row.may.includes(other) : !row.mayNot.includes(other);
}

function folderOf(path: string): string | undefined {
  return /^(?:src\/([^/]+)|(web|sim|bench|soak|lab))\//
    .exec(path)
    ?.slice(1)
    .find((folder) => folder !== undefined);
}

if (process.argv[1] === import.meta.filename) {
  const files = ['src', 'sim', 'bench', 'soak', 'lab', 'web'].flatMap((folder) => [
    ...filesIn(folder, '.ts'),
    ...filesIn(folder, '.tsx'),
  ]);
  const violations = files.flatMap((file) => violationsIn(file, readFileSync(file, 'utf8')));
  for (const { file, line, message } of violations) console.error(`${file}:${line}: ${message}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

/**
 * Every export is imported by another file, tests included: what nobody imports is private, or dead. Reads lines as
 * biome formats them. Rejected: parsing, which takes three times as long and finds the same.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { filesIn } from './files-in.ts';

/** Exports that no file of the repository imports by name, with the reason. */
const ENTRY_POINTS: Readonly<Record<string, string>> = {};

/** File names with their texts. */
export type Sources = Readonly<Record<string, string>>;

const DECLARED = /^export (?:abstract |async )*(?:const|let|function\*?|class|interface|type) ([\w$]+)/gm;
/** `export { one, two as three };`, also with `from`. */
const LISTED = /^export (?:type )?\{([^}]*)\}/gm;
const IMPORTED = /^(?:import|export) (?:type )?([^;'"]*?) ?from '(\.[^']*)';/gm;
const IMPORTED_WHOLE =
  /\bimport\(\s*'(\.[^']*)'\s*\)|^(?:import|export) \* (?:as [\w$]+ )?from '(\.[^']*)';/gm;

/** The names that a file exports. */
export function exportsOf(text: string): string[] {
  const listed = [...text.matchAll(LISTED)].flatMap(([, names = '']) => namesIn(names, 'outer'));
  return [...[...text.matchAll(DECLARED)].map(([, name = '']) => name), ...listed];
}

/** The names in braces: `one as two` is `one` where it comes from, and `two` where it goes. */
function namesIn(list: string, side: 'inner' | 'outer'): string[] {
  return list.split(',').flatMap((part) => {
    const [inner, outer = inner] = part
      .trim()
      .replace(/^type /, '')
      .split(' as ');
    const name = side === 'inner' ? inner : outer;
    return name ? [name] : [];
  });
}

/** Exports of the checked files that no other file imports, as `file: name`. */
export function unusedExports(sources: Sources, isChecked: (file: string) => boolean): string[] {
  const used = new Set<string>();
  for (const [file, text] of Object.entries(sources)) {
    const pathOf = (specifier: string) => posix.join(posix.dirname(file), specifier);
    for (const [, clause = '', specifier = ''] of text.matchAll(IMPORTED))
      for (const name of namesIn(/\{([^}]*)\}/.exec(clause)?.[1] ?? '', 'inner'))
        used.add(`${pathOf(specifier)}: ${name}`);
    // A file that is imported as a whole is used by the names that the importing file mentions.
    for (const [, dynamic, whole] of text.matchAll(IMPORTED_WHOLE)) {
      const path = pathOf(dynamic ?? whole ?? '');
      for (const name of exportsOf(sources[path] ?? ''))
        if (whole !== undefined || new RegExp(`\\b${name}\\b`).test(text)) used.add(`${path}: ${name}`);
    }
  }
  return Object.entries(sources)
    .filter(([file]) => isChecked(file))
    .flatMap(([file, text]) => exportsOf(text).map((name) => `${file}: ${name}`))
    .filter((entry) => !used.has(entry));
}

const CHECKED = /^(?:src|web|sim|soak)\/.*(?<!\.test)\.tsx?$/;
const ENDINGS = ['.ts', '.tsx', '.mjs'] as const;

if (process.argv[1] === import.meta.filename) {
  const files = ['src', 'web', 'sim', 'bench', 'soak', 'lab', 'test', 'scripts']
    .flatMap((folder) => ENDINGS.flatMap((ending) => filesIn(folder, ending)))
    .concat(readdirSync('.').filter((file) => file.endsWith('.ts')));
  const sources = Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const unused = unusedExports(sources, (file) => CHECKED.test(file));
  const wrong = [
    ...unused.filter((entry) => !(entry in ENTRY_POINTS)).map((entry) => `${entry} is imported nowhere`),
    ...Object.keys(ENTRY_POINTS)
      .filter((entry) => !unused.includes(entry))
      .map((entry) => `${entry} is imported, or gone: take it off the list of scripts/check-exports.ts`),
  ];
  for (const line of wrong) console.error(line);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

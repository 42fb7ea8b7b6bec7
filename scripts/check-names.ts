/**
 * One name for each thing: no type, interface or class is declared in two files, and no function or constant is exported
 * from two, so that a name leads to one thing (docs/glossary.md). Functions that stay in their file may share a name.
 * Tests are left out, because nothing imports them.
 */
import { readFileSync } from 'node:fs';
import { filesIn } from './files-in.ts';

/** React's word for the properties of the component in the same file; never exported. */
const IN_EVERY_FILE: ReadonlySet<string> = new Set(['Props']);

/** Biome puts every declaration of a file at the beginning of a line, and no other line begins so. */
const DECLARATION =
  /^(?:(?:export )?(?:abstract )?(?:type|interface|class|enum)|export (?:async )?function\*?|export (?:const|let)) (\w+)\b/gm;

/** The files that declare each name, for names that more than one file declares. `texts` has the text of each file. */
export function sharedNames(texts: ReadonlyMap<string, string>): Map<string, string[]> {
  const files = new Map<string, Set<string>>();
  for (const [file, text] of texts)
    for (const [declaration, name = ''] of text.matchAll(DECLARATION)) {
      if (IN_EVERY_FILE.has(name) && !declaration.startsWith('export')) continue;
      const isComponent = file.endsWith('.tsx') && /function [A-Z]/.test(declaration);
      // A component is called in markup only, where no type can stand: it may have the name of the type that it shows.
      const called = isComponent ? `<${name}>` : name;
      files.set(called, (files.get(called) ?? new Set()).add(file));
    }
  return new Map([...files].filter(([, { size }]) => size > 1).map(([name, of]) => [name, [...of].sort()]));
}

if (process.argv[1] === import.meta.filename) {
  const files = ['src', 'sim', 'bench', 'soak', 'lab', 'web/src', 'scripts']
    .flatMap((folder) => [...filesIn(folder, '.ts'), ...filesIn(folder, '.tsx')])
    .filter((file) => !/\.test\.tsx?$/.test(file));
  const shared = sharedNames(new Map(files.map((file) => [file, readFileSync(file, 'utf8')])));
  for (const [name, of] of shared) console.error(`${name} names ${of.length} things: ${of.join(', ')}`);
  process.exitCode = shared.size === 0 ? 0 : 1;
}

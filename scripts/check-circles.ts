/**
 * No file imports itself through others, type-only imports included: two files that need each other are one file, or
 * what both need is a third. Tests are left out, because nothing imports them.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { filesIn } from './files-in.ts';

// By require, as in scripts/check-structure.ts: half a second faster in every check.
const ts: typeof import('typescript') = createRequire(import.meta.url)('typescript');

/** For each file, the files that it imports. */
export type Imports = ReadonlyMap<string, readonly string[]>;

export function importsOf(file: string, text: string): string[] {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => posix.join(posix.dirname(file), specifier));
}

/** Every set of files that reach each other, each sorted by name (Tarjan's strongly connected components). */
export function circlesIn(imports: Imports): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const open = new Set<string>();
  const circles: string[][] = [];

  const visit = (file: string) => {
    order.set(file, order.size);
    lowest.set(file, order.size - 1);
    stack.push(file);
    open.add(file);
    for (const next of imports.get(file) ?? []) {
      if (!imports.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (open.has(next)) lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    for (const member of circle) open.delete(member);
    if (circle.length > 1 || imports.get(file)?.includes(file)) circles.push(circle.sort());
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return circles;
}

if (process.argv[1] === import.meta.filename) {
  const files = ['src', 'sim', 'bench', 'soak', 'lab', 'web']
    .flatMap((folder) => [...filesIn(folder, '.ts'), ...filesIn(folder, '.tsx')])
    .filter((file) => !file.endsWith('.test.ts'));
  const imports = new Map(files.map((file) => [file, importsOf(file, readFileSync(file, 'utf8'))]));
  const circles = circlesIn(imports);
  for (const circle of circles) {
    console.error(`${circle.length} files import each other in a circle:`);
    for (const file of circle)
      console.error(
        `  ${file} -> ${imports
          .get(file)
          ?.filter((to) => circle.includes(to))
          .join(', ')}`,
      );
  }
  process.exitCode = circles.length === 0 ? 0 : 1;
}

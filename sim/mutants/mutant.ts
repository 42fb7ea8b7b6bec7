import { HINTS } from '../mutant-hints.ts';

/**
 * Planted mistakes. White space in `find` matches any. Each is a patch of the text of one file, made when the simulator is bundled, and fails if its
 * text is gone: the code under test holds no switch for any of them. A mutant that survives is a hole in the oracle.
 */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** Mistakes in a database's store show only where it is held against memory. */
  readonly store?: 'memory' | 'sqlite';
  /** A seed that once found it, tried first. Only a hint: if it finds nothing, the hunt goes on from the first seed. */
  readonly seed?: number;
}

export function m(name: string, file: string, find: string, put: string): Mutant {
  const seed = HINTS[name];
  return { name, file: `src/${file}`, find, put, ...(seed === undefined ? {} : { seed }) };
}

export function sql(name: string, file: string, find: string, put: string): Mutant {
  return { ...m(`SQL: ${name}`, `store/${file}`, find, put), store: 'sqlite' };
}

/** The text with the mistake in it; throws when the text it changes is gone or stands twice. */
export function plant(mutant: Mutant, text: string): string {
  const escaped = mutant.find.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(escaped.replace(/\s+/g, '\\s*'), 'g');
  const found = text.match(pattern)?.length ?? 0;
  if (found !== 1)
    throw new Error(`mutant "${mutant.name}": its text stands ${found} times in ${mutant.file}, not once`);
  return text.replace(pattern, () => mutant.put);
}

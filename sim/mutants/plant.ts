import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node, SourceFile } from 'typescript';
import type { Mutant } from './mutant.ts';
import { nodeAt, parse, part, roleOf } from './syntax.ts';

const MARKER = /(?:\/\/|\/\*) mutant: ([a-z0-9-]+)(?: \*\/)?/g;

/** The keys of the markers in a text, in their order. */
export function markersIn(text: string): string[] {
  return [...text.matchAll(MARKER)].map(([, key]) => key as string);
}

/** Every file of the product that holds markers, and its text. */
export function markedFiles(root: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts')) continue;
    const file = join(root, 'src', path);
    const text = readFileSync(file, 'utf8');
    if (markersIn(text).length > 0) files.set(file, text);
  }
  return files;
}

/** The file that holds a mutant's marker; throws if none does or several do. */
export function mutatedFile(mutant: Mutant, files: ReadonlyMap<string, string>): string {
  const key = mutantKey(mutant);
  const holders = [...files].flatMap(([file, text]) =>
    markersIn(text)
      .filter((k) => k === key)
      .map(() => file),
  );
  const [file] = holders;
  if (file === undefined || holders.length > 1)
    throw new Error(
      `mutant "${mutant.name}": the marker "${key}" stands ${holders.length} times in src, not once`,
    );
  return file;
}

export function mutantKey(mutant: Mutant): string {
  return mutant.at.split('.', 1)[0] as string;
}

/** What one mistake replaces in a text, and by what. */
interface Replacement {
  readonly name: string;
  readonly node: Node;
  readonly put: string;
}

/**
 * The text with every mistake in it behind a switch: one is made where `planted` is its name, as the bundle declares it.
 * Throws if a marker, a part on the way, or a part that is put is not there.
 */
export function plantAll(mutants: readonly Mutant[], text: string): string {
  const source = parse(text);
  const replacements = mutants.map((mutant) => replacementOf(mutant, source, text));
  const outerFirst = replacements.toSorted(
    (a, b) => a.node.getStart(source) - b.node.getStart(source) || b.node.end - a.node.end,
  );
  return switched(text, 0, text.length, outerFirst, source);
}

function replacementOf(mutant: Mutant, source: SourceFile, text: string): Replacement {
  const [key, ...way] = mutant.at.split('.');
  const marker = [...text.matchAll(MARKER)].find(([, k]) => k === key);
  if (marker === undefined) throw new Error(`mutant "${mutant.name}": there is no marker "${key}"`);
  const node = walk(marked(source, text, marker.index + marker[0].length, mutant), way, mutant);
  const put = mutant.put.replace(/\$([a-z]+\d*(?:\.[a-z]+\d*)*)/gi, (_, roles: string) =>
    (roles === 'node' ? node : walk(node, roles.split('.'), mutant)).getText(source),
  );
  return { name: mutant.name, node, put };
}

/** The text of a range. What is not replaced may hold the switches of other mistakes. */
function switched(
  text: string,
  from: number,
  to: number,
  replacements: readonly Replacement[],
  source: SourceFile,
): string {
  let out = '';
  let at = from;
  let rest = replacements;
  for (let [first] = rest; first !== undefined; [first] = rest) {
    const { node } = first;
    const [start, end] = [node.getStart(source), node.end];
    const within = rest.filter((replacement) => replacement.node.getStart(source) < end);
    const here = within.filter(
      (replacement) => replacement.node.getStart(source) === start && replacement.node.end === end,
    );
    const inside = within.filter((replacement) => !here.includes(replacement));
    const right = switched(text, start, end, inside, source);
    out += text.slice(at, start) + here.reduce((code, replacement) => choice(replacement, code), right);
    at = end;
    rest = rest.slice(within.length);
  }
  return out + text.slice(at, to);
}

function choice({ name, node, put }: Replacement, right: string): string {
  const isMade = `planted === ${JSON.stringify(name)}`;
  const role = roleOf(node);
  if (role === 'statement') return `{ if (${isMade}) { ${put} } else { ${right} } }`;
  if (role === 'property') return `...(${isMade} ? { ${put} } : { ${right} })`;
  return `(${isMade} ? (${put}) : (${right}))`;
}

function marked(source: SourceFile, text: string, end: number, mutant: Mutant): Node {
  const between = /^(?:\s+|\/\/.*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(end))?.[0].length ?? 0;
  const node = nodeAt(source, end + between);
  if (node === undefined) throw new Error(`mutant "${mutant.name}": no syntax begins behind its marker`);
  return node;
}

function walk(from: Node, way: readonly string[], mutant: Mutant): Node {
  let node = from;
  for (const role of way) {
    const next = part(node, role);
    if (next === undefined)
      throw new Error(`mutant "${mutant.name}": "${node.getText()}" has no part "${role}"`);
    node = next;
  }
  return node;
}

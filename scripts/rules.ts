/**
 * The rules that code and tests cite by number: S and L in docs/invariants.md, F in docs/faults.md. The text of those
 * pages is written by hand; which files cite a rule is filled in from the files. `--write` (a part of `npm run docs`)
 * fills it in, `--check` (a part of `npm run check`) fails if a page is not as `--write` would leave it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { EXPECTED, RARE } from '../sim/oracle/counters.ts';
import { filesIn } from './files-in.ts';

/** `counter` is the whole name where one of the rule's counters is cited: `S3.beat`. */
export type Citation = { readonly line: number; readonly rule: string; readonly counter?: string };
/** The files that cite each rule, in the order of their paths. */
export type Citations = ReadonlyMap<string, readonly string[]>;

export const PAGES = { invariants: 'docs/invariants.md', faults: 'docs/faults.md' } as const;
const CITING_FOLDERS = ['src', 'sim', 'test', 'bench', 'soak', 'lab', 'web', 'scripts', 'bin'] as const;
const CITING_FILE = /\.(?:tsx?|mjs|css|html|grit)$|^bin\//;
const NONE = '—';
/** One letter and a number, as a word of its own, with a counter's name or without: `S3`, `S3.beat`, not `AS3`. */
const NUMBER = /(?<![\w.#-])([SLF]\d+)((?:\.[a-z_]\w*)*)(?!\w)/g;

/** The numbers that the two pages define: a heading `### S1.` or a row `| F01 |`. */
export function rulesDefinedIn(page: string): string[] {
  return [...page.matchAll(/^(?:### ([SL]\d+)\.|\| (F\d+) \|)/gm)].map(
    ([, heading, row]) => heading ?? row ?? '',
  );
}

export function citationsIn(text: string): Citation[] {
  return text.split('\n').flatMap((source, index) =>
    [...source.matchAll(NUMBER)].map(([name, rule = '', counter]) => ({
      line: index + 1,
      rule,
      ...(counter && { counter: name }),
    })),
  );
}

/** Every file of the code that may cite a rule. */
export function citingFiles(): string[] {
  return CITING_FOLDERS.flatMap((folder) => filesIn(folder, ''))
    .filter((file) => CITING_FILE.test(file) && !file.includes('node_modules/'))
    .sort();
}

/** The scripts that check citations, and their tests, cite numbers as examples: they neither handle nor try a rule. */
const isAboutCitations = (file: string) => /^(?:scripts|test\/repository)\//.test(file);

function collectCitations(): Citations {
  const found = new Map<string, string[]>();
  for (const file of citingFiles().filter((file) => !isAboutCitations(file))) {
    for (const rule of new Set(citationsIn(readFileSync(file, 'utf8')).map(({ rule }) => rule))) {
      found.set(rule, [...(found.get(rule) ?? []), file]);
    }
  }
  return found;
}

/** Tests, conformance suites, benchmarks and the simulator try a rule; everything else handles it. */
function tries(file: string): boolean {
  return /^(?:test|sim|bench|soak|lab)\//.test(file) || /\.test\.tsx?$|conformance/.test(file);
}

/** Replaces the last two columns of each fault's row: the files that handle it, and those that try it. */
export function fillFaults(page: string, citations: Citations): string {
  return page.replace(/^\| (F\d+) \| (.*)$/gm, (_, rule: string, rest: string) => {
    const [fault = '', expected = ''] = rest.split(' | ');
    const files = citations.get(rule) ?? [];
    const handled = list(files.filter((file) => !tries(file)));
    const tried = list(files.filter(tries));
    return `| ${rule} | ${fault} | ${expected.replace(/ \|$/, '')} | ${handled} | ${tried} |`;
  });
}

/** Replaces the lines `Counters:` and `Tests:` below each heading. */
export function fillInvariants(page: string, citations: Citations, counters: readonly string[]): string {
  let rule = '';
  return page
    .split('\n')
    .map((line) => {
      rule = /^### ([SL]\d+)\./.exec(line)?.[1] ?? rule;
      if (line.startsWith('Counters:')) {
        return `Counters: ${list(counters.filter((name) => name === rule || name.startsWith(`${rule}.`)))}.  `;
      }
      if (line.startsWith('Tests:')) {
        return `Tests: ${list((citations.get(rule) ?? []).filter((file) => /\.test\.tsx?$/.test(file)))}.`;
      }
      return line;
    })
    .join('\n');
}

/**
 * A page without what `--write` fills in, line by line: whoever moves a file that cites a rule need not mend the page by
 * hand, and `--check` says that it is no longer fresh.
 */
export function withoutCitations(page: string): string {
  return page.replace(/^(?:\| F\d+ \||Tests:).*$/gm, '');
}

function list(names: readonly string[]): string {
  return names.length === 0 ? NONE : names.map((name) => `\`${name}\``).join(', ');
}

if (process.argv[1] === import.meta.filename) {
  const citations = collectCitations();
  const counters = [...EXPECTED, ...RARE];
  const stale: string[] = [];
  for (const file of Object.values(PAGES)) {
    const page = readFileSync(file, 'utf8');
    const filled =
      file === PAGES.faults ? fillFaults(page, citations) : fillInvariants(page, citations, counters);
    if (filled === page) continue;
    if (process.argv.includes('--write')) writeFileSync(file, filled);
    else stale.push(file);
  }
  for (const file of stale)
    console.error(`${file} does not list the files that cite its rules: run npm run docs`);
  process.exitCode = stale.length === 0 ? 0 : 1;
}

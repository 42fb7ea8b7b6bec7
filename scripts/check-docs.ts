/**
 * Checks what documents and comments refer to:
 *  - a path exists. In Markdown: links, and what stands in backticks. URLs, routes, globs and placeholders are not
 *    paths.
 *  - a link to a heading (`<page>.md#<heading>`) leads to one.
 *  - a page that is named without its folder (a bare name) exists beside the document, or at the root.
 *  - a rule that is cited by number (S, L, F) is defined in docs/invariants.md or docs/faults.md, and a counter of it
 *    (`S3.beat`) in sim/oracle/counters.ts.
 *  - nothing appeals to a design that the reader cannot open.
 */
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { EXPECTED, RARE } from '../sim/oracle/counters.ts';
import { type AnchorLink, anchorLinksIn, anchorsOf, pageDefining } from './anchors.ts';
import { commentsIn, type Line } from './comments-in.ts';
import { filesIn } from './files-in.ts';
import { citationsIn, citingFiles, PAGES, rulesDefinedIn, withoutCitations } from './rules.ts';

export type Mention = { readonly line: number; readonly path: string };
export type Complaint = { readonly line: number; readonly message: string };

/** Made by a build or a run, so a fresh checkout does not have them. */
const GENERATED = /^(dist|node_modules|coverage|\.evident)(\/|$)/;
const FOLDERS = 'src|docs|test|scripts|sim|bench|lab|examples|deploy|web|bin|\\.ci';
/** Either it starts in one of our folders, or relatively, or it ends like a source file. */
const PATH = new RegExp(
  `^(?:(?:${FOLDERS})/[\\w./-]*|\\.{1,2}/[\\w./-]+|[\\w-]+(?:/[\\w.-]+)+\\.(?:ts|tsx|mjs|md|sql|grit))$`,
);

const BARE_PAGE = /^[\w-]+\.md$/;
/** The two words, on one line or on two: between them stand spaces and what begins a line of a comment. */
const APPEAL = /\bthe[\s*/#]+design\b/gi;
const COUNTERS: readonly string[] = [...EXPECTED, ...RARE];

export function mentionsInMarkdown(text: string): Mention[] {
  return outsideFences(text).flatMap(({ line, text }) =>
    [
      ...[...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code).filter(isPath),
      // A link is always a path, unless it leads out or within the page.
      ...[...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^(?:[a-z]+:|#|\/)/i.test(target)),
    ].map((path) => ({ line, path: withoutPlace(path) })),
  );
}

export function mentionsInComments(text: string): Mention[] {
  return commentsIn(text).flatMap(({ line, text }) =>
    wordsIn(text)
      .filter(isPath)
      .map((path) => ({ line, path: withoutPlace(path) })),
  );
}

/** Pages that are named without a folder: in any text of a document, in any comment of the code. */
export function barePagesInMarkdown(text: string): Mention[] {
  return outsideFences(text).flatMap(barePages);
}

export function barePagesInComments(text: string): Mention[] {
  return commentsIn(text).flatMap(barePages);
}

/** A citation of a rule or a counter that is not defined, and an appeal to a design that is not in the repository. */
export function complaintsAbout(text: string, defined: ReadonlySet<string>): Complaint[] {
  const undefinedRules = citationsIn(text).flatMap(({ line, rule, counter }) => {
    if (!defined.has(rule)) {
      return [{ line, message: `${rule} is defined in none of ${Object.values(PAGES).join(', ')}` }];
    }
    return counter === undefined || isCounter(counter)
      ? []
      : [{ line, message: `${counter} is no counter of sim/oracle/counters.ts` }];
  });
  const appeals = [...text.matchAll(APPEAL)].map(({ index }) => ({
    line: text.slice(0, index).split('\n').length,
    message: 'cites a design that no page holds: cite the page or the rule',
  }));
  return [...undefinedRules, ...appeals];
}

/** Code also writes the beginning of a counter: `S2.unknown.` and then a cause. */
function isCounter(name: string): boolean {
  return COUNTERS.some((counter) => counter === name || counter.startsWith(`${name}.`));
}

function barePages({ line, text }: Line): Mention[] {
  return wordsIn(text)
    .map(withoutPlace)
    .filter((word) => BARE_PAGE.test(word))
    .map((path) => ({ line, path }));
}

function wordsIn(text: string): string[] {
  return text.split(/[\s`'"(),;[\]]+/).map((word) => word.replace(/[.:]+$/, ''));
}

function isPath(word: string): boolean {
  return PATH.test(withoutPlace(word));
}

/** A line or a heading names a place within a file: `src/<file>.ts:12`, `docs/<page>.md#<heading>`. */
function withoutPlace(path: string): string {
  return path.replace(/#.*$/, '').replace(/:\d+(?:-\d+)?$/, '');
}

function outsideFences(text: string): Line[] {
  let fenced = false;
  return text.split('\n').flatMap((source, index) => {
    const fence = /^\s*(?:```|~~~)/.test(source);
    if (fence) fenced = !fenced;
    return fence || fenced ? [] : [{ line: index + 1, text: source }];
  });
}

/** Paths are written from the root, from src/ (as in `store/port.ts`) or from where the mention stands. */
function exists(path: string, file: string): boolean {
  return [path, posix.join('src', path), posix.join(posix.dirname(file), path)].some(
    (candidate) => GENERATED.test(candidate) || existsSync(candidate),
  );
}

/** A page without a folder is beside the document that names it, or at the root; in code only at the root. */
function pageExists(page: string, file: string): boolean {
  const beside = file.endsWith('.md') ? [posix.join(posix.dirname(file), page)] : [];
  return [page, ...beside].some((candidate) => existsSync(candidate));
}

/** A file that does not exist is complained of as a path. */
function leadsToHeading(link: AnchorLink, document: string): boolean {
  const page = pageDefining(link, document);
  return !existsSync(page) || anchorsOf(readFileSync(page, 'utf8')).has(link.anchor);
}

if (process.argv[1] === import.meta.filename) {
  const documents = [
    ...['README.md', 'CONTRIBUTING.md'].filter((file) => existsSync(file)),
    ...filesIn('docs', '.md'),
  ];
  const sources = citingFiles().filter((file) => !file.startsWith('test/repository/'));
  const defined = new Set(Object.values(PAGES).flatMap((page) => rulesDefinedIn(readFileSync(page, 'utf8'))));

  const complaints = [...documents, ...sources].flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const isDocument = file.endsWith('.md');
    const paths = isDocument ? mentionsInMarkdown(withoutCitations(text)) : mentionsInComments(text);
    const pages = isDocument ? barePagesInMarkdown(text) : barePagesInComments(text);
    const missing = [
      ...paths.filter(({ path }) => !exists(path, file)),
      ...pages.filter(({ path }) => !pageExists(path, file)),
    ].map(({ line, path }) => ({ line, message: `${path} does not exist` }));
    const nowhere = (isDocument ? anchorLinksIn(text) : [])
      .filter((link) => !leadsToHeading(link, file))
      .map((link) => ({
        line: link.line,
        message: `${pageDefining(link, file)} has no heading #${link.anchor}`,
      }));
    return [...missing, ...nowhere, ...complaintsAbout(text, defined)].map((complaint) => ({
      file,
      ...complaint,
    }));
  });
  // A link and its text may name the same page: one complaint is enough.
  const lines = new Set(complaints.map(({ file, line, message }) => `${file}:${line}: ${message}`));
  for (const line of lines) console.error(line);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}

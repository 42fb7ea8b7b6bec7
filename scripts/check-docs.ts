/**
 * A path named in a document or in a comment of src/ exists. In Markdown: links, and what stands in
 * backticks. URLs, routes, globs and placeholders are not paths.
 */
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { filesIn } from './files-in.ts';

export type Mention = { readonly line: number; readonly path: string };

/** Made by a build or a run, so a fresh checkout does not have them. */
const GENERATED = /^(dist|node_modules|coverage|\.evident)(\/|$)/;
const FOLDERS = 'src|docs|test|scripts|sim|bench|lab|examples|deploy|web|bin|\\.ci';
/** Either it starts in one of our folders, or relatively, or it ends like a source file. */
const PATH = new RegExp(
  `^(?:(?:${FOLDERS})/[\\w./-]*|\\.{1,2}/[\\w./-]+|[\\w-]+(?:/[\\w.-]+)+\\.(?:ts|tsx|mjs|md|sql|grit))$`,
);

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
  return text.split('\n').flatMap((source, index) => {
    const comment = /(?:^|\s)\/\/(.*)$/.exec(source)?.[1] ?? /^\s*\/?\*+(.*)$/.exec(source)?.[1] ?? '';
    return comment
      .split(/[\s`'"(),;]+/)
      .map((word) => word.replace(/[.:]+$/, ''))
      .filter(isPath)
      .map((path) => ({ line: index + 1, path: withoutPlace(path) }));
  });
}

function isPath(word: string): boolean {
  return PATH.test(withoutPlace(word));
}

/** `src/a.ts:12` and `docs/a.md#part` name a place within a file. */
function withoutPlace(path: string): string {
  return path.replace(/#.*$/, '').replace(/:\d+(?:-\d+)?$/, '');
}

function outsideFences(text: string): { line: number; text: string }[] {
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

if (process.argv[1] === import.meta.filename) {
  const documents = [...(existsSync('README.md') ? ['README.md'] : []), ...filesIn('docs', '.md')];
  const sources = ['src', 'sim', 'bench', 'lab'].flatMap((folder) => filesIn(folder, '.ts'));
  const mentions = [
    ...documents.map((file) => ({ file, found: mentionsInMarkdown(readFileSync(file, 'utf8')) })),
    ...sources.map((file) => ({ file, found: mentionsInComments(readFileSync(file, 'utf8')) })),
  ];
  const missing = mentions.flatMap(({ file, found }) =>
    found.filter(({ path }) => !exists(path, file)).map((mention) => ({ file, ...mention })),
  );
  for (const { file, line, path } of missing) console.error(`${file}:${line}: ${path} does not exist`);
  process.exitCode = missing.length === 0 ? 0 : 1;
}

import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

interface PackedFile {
  /** Path in the archive, with forward slashes. */
  readonly path: string;
  readonly source: string;
  readonly size: number;
  readonly executable: boolean;
}

export interface Folder {
  /** Sorted, whatever the order of the file system: the same folder gives the same archive. */
  readonly files: readonly PackedFile[];
  readonly bytes: number;
  /** Files left out for a reason other than an ignore file, each with the reason. */
  readonly leftOut: readonly string[];
}

/** Never part of a source: history, installed dependencies, and the data directory with its tokens (S15). */
const NEVER_DEPLOYED = new Set(['.git', 'node_modules', '.evident', '.hg', '.svn']);
const IGNORE_FILES = ['.gitignore', '.evidentignore'] as const;

/** The ignore rules of one folder, for paths within it. */
interface Rules {
  /** Converts a path of the deployed folder to one relative to this folder. */
  readonly within: (path: string) => string;
  readonly matcher: Ignore;
}

/**
 * Lists every file to deploy: all that `.gitignore` and `.evidentignore`, nested ones included, do not
 * exclude, apart from those paths in `without`.
 */
export function readFolder(root: string, without: readonly string[] = []): Folder {
  const real = realpathSync(root);
  const files: PackedFile[] = [];
  const leftOut: string[] = [];

  const walk = (dir: string, at: string, above: readonly Rules[], way: readonly string[]) => {
    const rules = [
      ...above,
      ...rulesOf(dir, (path) => (at === '' ? path : path.slice(at.length + 1)), IGNORE_FILES),
    ];
    for (const entry of sorted(readdirSync(dir, { withFileTypes: true }))) {
      if (NEVER_DEPLOYED.has(entry.name)) continue;
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (without.includes(path)) continue;
      const source = join(dir, entry.name);
      const found = resolved(source, entry, real, way);
      if (typeof found === 'string') {
        if (!isIgnored(rules, path, false)) leftOut.push(`${path} ${found}`);
        continue;
      }
      const { stat, to } = found;
      if (isIgnored(rules, path, stat.isDirectory())) continue;
      if (stat.isDirectory()) walk(source, path, rules, [...way, to]);
      else if (stat.isFile())
        files.push({ path, source: to, size: stat.size, executable: (stat.mode & 0o111) !== 0 });
      else leftOut.push(`${path} is neither a file nor a folder`);
    }
  };
  walk(real, '', rulesAbove(real), [real]);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, bytes: files.reduce((sum, { size }) => sum + size, 0), leftOut };
}

/**
 * The entry at a path. A link inside the folder stands for its target; a link that leads out is not followed.
 */
function resolved(
  source: string,
  entry: Dirent,
  root: string,
  way: readonly string[],
): { readonly stat: Stats; readonly to: string } | string {
  if (!entry.isSymbolicLink()) return { stat: lstatSync(source), to: source };
  let to: string;
  try {
    to = realpathSync(source);
  } catch {
    return 'is a link that leads nowhere';
  }
  if (to !== root && !to.startsWith(root + sep)) return 'is a link that leads out of the folder';
  if (way.some((dir) => dir === to || dir.startsWith(to + sep))) return 'is a link that leads back to itself';
  const through = to
    .slice(root.length)
    .split(sep)
    .find((name) => NEVER_DEPLOYED.has(name));
  if (through !== undefined) return `is a link into ${through}`;
  return { stat: statSync(to), to };
}

function rulesOf(dir: string, within: Rules['within'], names: readonly string[]): Rules[] {
  const texts = names
    .map((name) => join(dir, name))
    .filter((path) => existsSync(path) && statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'));
  if (texts.length === 0) return [];
  // Added as text: `ignore` takes a list as one pattern per item, and splits only text into lines.
  const matcher = texts.reduce((rules, text) => rules.add(text), ignore());
  return [{ within, matcher }];
}

/**
 * Rules from the `.gitignore` files above a folder inside a repository, as git applies them: an `.env` that
 * the repository excludes must not be sent. If they exclude the folder itself, they are skipped: the person
 * named it on purpose.
 */
function rulesAbove(root: string): Rules[] {
  const above: string[] = [];
  for (let dir = root; !existsSync(join(dir, '.git')); dir = dirname(dir)) {
    if (dirname(dir) === dir) return [];
    above.unshift(dirname(dir));
  }
  return above
    .flatMap((dir) => {
      const prefix = relative(dir, root).split(sep).join('/');
      return rulesOf(dir, (path) => (path === '' ? `${prefix}/` : `${prefix}/${path}`), ['.gitignore']);
    })
    .filter(({ within, matcher }) => !matcher.ignores(within('')));
}

/** As in git, the rules nearest to the file decide last, and an excluded folder excludes its files. */
function isIgnored(rules: readonly Rules[], path: string, isDirectory: boolean): boolean {
  for (const { within, matcher } of rules.toReversed()) {
    const relative = within(path);
    const { ignored, unignored } = matcher.test(isDirectory ? `${relative}/` : relative);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

const sorted = (entries: Dirent[]) => entries.sort((a, b) => (a.name < b.name ? -1 : 1));

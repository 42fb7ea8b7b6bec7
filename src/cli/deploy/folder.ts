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

export interface PackedFile {
  /** Where it stands in the archive, with forward slashes. */
  readonly path: string;
  readonly source: string;
  readonly size: number;
  readonly executable: boolean;
}

export interface Folder {
  /** In one order, whatever the file system's: the same folder is the same archive. */
  readonly files: readonly PackedFile[];
  readonly bytes: number;
  /** What was left out although nobody asked for that, and why. */
  readonly leftOut: readonly string[];
}

/** Never part of a source: history, what is installed from it, and the data directory with its tokens (S15). */
const NEVER = new Set(['.git', 'node_modules', '.evident', '.hg', '.svn']);
const IGNORE_FILES = ['.gitignore', '.evidentignore'] as const;

/** Rules of one folder, about paths within it. */
interface Rules {
  /** A path of the deployed folder as this folder sees it. */
  readonly within: (path: string) => string;
  readonly matcher: Ignore;
}

/** Every file that is deployed: what `.gitignore` and `.evidentignore`, also nested ones, do not leave out. */
export function readFolder(root: string): Folder {
  const real = realpathSync(root);
  const files: PackedFile[] = [];
  const leftOut: string[] = [];

  const walk = (dir: string, at: string, above: readonly Rules[], way: readonly string[]) => {
    const rules = [
      ...above,
      ...rulesOf(dir, (path) => (at === '' ? path : path.slice(at.length + 1)), IGNORE_FILES),
    ];
    for (const entry of sorted(readdirSync(dir, { withFileTypes: true }))) {
      if (NEVER.has(entry.name)) continue;
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
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
      else leftOut.push(`${path} is no file and no folder`);
    }
  };
  walk(real, '', rulesAbove(real), [real]);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, bytes: files.reduce((sum, { size }) => sum + size, 0), leftOut };
}

/** What stands at a path. A link inside the folder is what it leads to; one that leads out is not followed. */
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
    .find((name) => NEVER.has(name));
  if (through !== undefined) return `is a link into ${through}`;
  return { stat: statSync(to), to };
}

function rulesOf(dir: string, within: Rules['within'], names: readonly string[]): Rules[] {
  const texts = names
    .map((name) => join(dir, name))
    .filter((path) => existsSync(path) && statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'));
  if (texts.length === 0) return [];
  // A list would be taken for one pattern an item; only a text is split into its lines.
  const matcher = texts.reduce((rules, text) => rules.add(text), ignore());
  return [{ within, matcher }];
}

/**
 * A folder inside a repository also obeys the `.gitignore` files above it, as in git: an `.env` that the repository
 * leaves out must not be sent. Unless they leave out the folder itself: then it was named on purpose.
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

/** As git does it: the rules nearest to the file have the last word. A folder that is out takes its files along. */
function isIgnored(rules: readonly Rules[], path: string, isDirectory: boolean): boolean {
  for (const { within, matcher } of rules.toReversed()) {
    const seen = within(path);
    const { ignored, unignored } = matcher.test(isDirectory ? `${seen}/` : seen);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

const sorted = (entries: Dirent[]) => entries.sort((a, b) => (a.name < b.name ? -1 : 1));

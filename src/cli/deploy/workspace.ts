import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { parse } from 'yaml';

/** The workspace that a package belongs to: its top folder, and the package's folder seen from there. */
interface PackagePlace {
  readonly top: string;
  readonly root: string;
}

/**
 * Finds the workspace of npm, pnpm or yarn that has this folder among its packages. The search ends with the repository,
 * and at a folder of another user: whoever may write above a shared folder must not decide what is sent.
 */
export function workspaceOf(dir: string, uid: number): PackagePlace | null {
  if (!existsSync(join(dir, 'package.json'))) return null;
  for (let at = dir; !existsSync(join(at, '.git')) && dirname(at) !== at; ) {
    at = dirname(at);
    if (statSync(at).uid !== uid) return null;
    const root = relative(at, dir).split(sep).join('/');
    if (isPackage(patternsIn(at), root)) return { top: at, root };
  }
  return null;
}

function patternsIn(dir: string): readonly string[] {
  try {
    const pnpm = join(dir, 'pnpm-workspace.yaml');
    const { packages } = existsSync(pnpm)
      ? (parse(readFileSync(pnpm, 'utf8')) ?? {})
      : packagesOf(JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')).workspaces);
    return Array.isArray(packages) ? packages.filter((pattern) => typeof pattern === 'string') : [];
  } catch {
    // A folder without such a file, or with one that cannot be read, is no workspace.
    return [];
  }
}

/** npm and yarn write a list; yarn also an object with the list in it. */
const packagesOf = (workspaces: unknown): { readonly packages?: unknown } =>
  Array.isArray(workspaces) ? { packages: workspaces } : ((workspaces as object | null) ?? {});

/** A later pattern with `!` takes a folder out again. */
export function isPackage(patterns: readonly string[], root: string): boolean {
  return patterns.reduce((included, pattern) => {
    const isExcluding = pattern.startsWith('!');
    const matches = expressionOf(isExcluding ? pattern.slice(1) : pattern).test(root);
    return matches ? !isExcluding : included;
  }, false);
}

function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replace(/^\.?\//, '')
    .replace(/\/+$/, '')
    .split('/')
    .map((part) =>
      part === '**' ? '.*' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*'),
    )
    .join('/');
  return new RegExp(`^${source.replaceAll('.*/', '(?:.*/)?')}$`);
}

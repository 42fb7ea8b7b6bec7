import type { FolderContents } from '../folder-contents.ts';
import type { Part } from '../recipe.ts';

/** `index.html` at the top or in public/: its files are served as they are. */
export function site({ files }: FolderContents): Part | null {
  const root = files.has('index.html') ? '.' : files.has('public/index.html') ? 'public' : null;
  if (root === null) return null;
  return {
    what: `a site (${root === '.' ? '' : 'public/'}index.html)`,
    installs: [],
    builds: [],
    start: { kind: 'site', root },
  };
}

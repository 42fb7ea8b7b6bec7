import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildFailure } from './recipe.ts';
import { serveSite } from './site-server.ts';

const SERVER = '.evident/site.mjs';

/** Puts the site server into an artifact, and returns the command that starts it. */
export async function servedSite(dir: string, root: string): Promise<readonly string[]> {
  await mkdir(join(dir, '.evident'), { recursive: true });
  await writeFile(join(dir, SERVER), program());
  return ['node', SERVER, root];
}

/** The first folder that contains a page, of those in which builds leave their site. */
export function builtRoot(dir: string, roots: readonly string[]): string {
  const root = roots.find((folder) => existsSync(join(dir, folder, 'index.html')));
  if (root !== undefined) return root;
  throw new BuildFailure(
    'no_start_command',
    `There is no start script, and the build left no index.html in ${roots.join(', ')}. Add a start script, or a \`command\`.`,
  );
}

/**
 * Removes everything beside a built site, so that the artifact has no sources and no installed modules. Returns false, and
 * removes nothing, where the site has links: what they lead to may lie beside it.
 */
export async function keepOnlySite(dir: string, site: string): Promise<boolean> {
  const names = site.split('/');
  const folders = names.map((_, i) => join(dir, ...names.slice(0, i + 1)));
  for (const folder of folders) if ((await lstat(folder)).isSymbolicLink()) return false;
  const inside = await readdir(join(dir, site), { withFileTypes: true, recursive: true });
  if (inside.some((entry) => entry.isSymbolicLink())) return false;
  let at = dir;
  for (const name of names) {
    for (const other of await readdir(at))
      if (other !== name) await rm(join(at, other), { recursive: true, force: true });
    at = join(at, name);
  }
  return true;
}

function program(): string {
  return [
    '// Made by the builder of Evident: serves the files of this site on $PORT.',
    "import * as crypto from 'node:crypto';",
    "import * as fs from 'node:fs';",
    "import * as http from 'node:http';",
    "import * as path from 'node:path';",
    '',
    // A bundler may have renamed the function, so the name is set here.
    `const serveSite = ${serveSite.toString()};`,
    '',
    "const server = serveSite({ http, fs, path, crypto }, process.argv[2] ?? '.', Number(process.env.PORT ?? 8080));",
    "for (const signal of ['SIGTERM', 'SIGINT'])",
    '  process.once(signal, () => {',
    '    server.close();',
    '    server.closeIdleConnections();',
    '  });',
    '',
  ].join('\n');
}

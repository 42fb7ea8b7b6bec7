import { access, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VENV } from './languages/python.ts';

/**
 * Makes a virtual environment independent of its place. Its interpreter, its configuration and the first line
 * of every program name the directory where it was created, but the artifact will lie elsewhere, and the same
 * requirements should give the same bytes. So those names are removed, and the launcher puts the rest on the
 * path of the machine's own Python.
 *
 * Rejected: `venv --copies`, which moves well but puts an interpreter of many megabytes into every artifact.
 */
export async function makeMovable(dir: string): Promise<void> {
  const venv = join(dir, VENV);
  await rm(join(venv, 'pyvenv.cfg'), { force: true });
  await rm(join(venv, 'include'), { recursive: true, force: true });
  for (const name of await readdir(join(venv, 'bin'))) {
    const at = join(venv, 'bin', name);
    if (/^(python|pip|activate|Activate)/.test(name)) await rm(at, { force: true });
    else await mendFirstLine(at);
  }
  const site = await sitePackages(dir);
  if (site === null) return;
  for (const name of await readdir(join(dir, site))) {
    const at = join(dir, site, name);
    if (/^pip(-[\d.]+\.dist-info)?$/.test(name)) await rm(at, { recursive: true, force: true });
    else if (name.endsWith('.dist-info')) await mendRecord(at);
  }
  await removeCompiled(join(venv, 'lib'));
}

/** Folder of the installed modules, from the top of the app; null without an environment. */
export async function sitePackages(dir: string): Promise<string | null> {
  for (const name of await readdir(join(dir, VENV, 'lib')).catch(() => [])) {
    const site = `${VENV}/lib/${name}/site-packages`;
    const there = await access(join(dir, site)).then(
      () => true,
      () => false,
    );
    if (there && name.startsWith('python')) return site;
  }
  return null;
}

async function mendFirstLine(at: string): Promise<void> {
  const text = await readFile(at, 'latin1');
  // A long path does not fit into a first line; pip then writes a shell script that is also Python.
  const mended = text.replace(
    /^#!(?:\/bin\/sh\n'''exec' .*\n' '''|.*python[^\n]*)\n/,
    '#!/usr/bin/env python3\n',
  );
  if (mended !== text) await writeFile(at, mended, 'latin1');
}

/** Removes from the record the hashes of programs that named the place, and the place itself. */
async function mendRecord(info: string): Promise<void> {
  await rm(join(info, 'direct_url.json'), { force: true });
  const record = join(info, 'RECORD');
  const text = await readFile(record, 'utf8').catch(() => null);
  if (text === null) return;
  const kept = text
    .split('\n')
    .filter((line) => !/^(?:\.\.\/)+bin\/|direct_url\.json|__pycache__/.test(line));
  await writeFile(record, kept.join('\n'));
}

async function removeCompiled(dir: string): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const at = join(dir, entry.name);
    if (entry.name === '__pycache__') await rm(at, { recursive: true, force: true });
    else await removeCompiled(at);
  }
}

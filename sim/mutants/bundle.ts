import { join } from 'node:path';
import { PLANTED_VARIABLE } from './hunt.ts';
import type { Mutant } from './mutant.ts';
import { markedFiles, mutatedFile, plantAll } from './plant.ts';

/** What `plantAll` asks, and how a process that hunts one mistake after the other changes the answer. */
const SWITCH = `let planted = process.env.${PLANTED_VARIABLE} ?? null;
globalThis.plantMistake = (name) => { planted = name; };`;

/** Bundles the simulator with every mistake behind a switch, and returns the file. */
export async function bundleWithAll(mutants: readonly Mutant[], root: string): Promise<string> {
  const { build } = await import('esbuild');
  const marked = markedFiles(root);
  const planted = new Map(
    [...marked].map(([file, text]) => {
      const here = mutants.filter((mutant) => mutatedFile(mutant, marked) === file);
      return [file, { mutants: here, contents: plantAll(here, text) }];
    }),
  );
  const left = new Set(planted.keys());
  const outfile = join(root, 'dist', 'mutants', 'all.mjs');
  await build({
    entryPoints: [join(root, 'sim/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
    banner: { js: SWITCH },
    plugins: [
      {
        name: 'mutants',
        setup(pipeline) {
          pipeline.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const contents = planted.get(path)?.contents;
            if (contents === undefined) return undefined;
            left.delete(path);
            return { contents, loader: 'ts' };
          });
        },
      },
    ],
  });
  for (const file of left) {
    const names = planted.get(file)?.mutants.map(({ name }) => `"${name}"`);
    throw new Error(`${file} is not part of the simulator, which never makes ${names?.join(', ')}`);
  }
  return outfile;
}

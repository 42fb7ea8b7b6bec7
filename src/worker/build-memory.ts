import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILDER, type BuildPlan } from '../build/build.ts';
import type { Spec } from '../contract/intent.ts';

/** The result of a build. */
export interface BuiltArtifact {
  readonly digest: string;
  readonly size: number;
  readonly plan: BuildPlan;
}

const KEPT = 50;

/**
 * Remembers which artifact was built from which source, for one service. The key holds everything that
 * decides the bytes: the source, the fields of the spec that a build reads, the builder's version and
 * machine. Replicas, health and route change no byte.
 */
export class BuildMemory {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  static key(source: string, { build, command, procfile, port, env, root }: Spec): string {
    const machine = [BUILDER, process.platform, process.arch, process.version];
    const variables = Object.entries(env ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    const said = [build, command, procfile, port, root].map((field) => field ?? null);
    return createHash('sha256')
      .update(JSON.stringify([machine, source, said, variables]))
      .digest('hex');
  }

  async find(key: string): Promise<BuiltArtifact | null> {
    try {
      return JSON.parse(await readFile(this.#path(key), 'utf8')) as BuiltArtifact;
    } catch {
      return null;
    }
  }

  /** Written by rename: two builds of the same source write the same, and no reader finds half of it. */
  async remember(key: string, built: BuiltArtifact): Promise<void> {
    await mkdir(this.#dir, { recursive: true });
    const whole = join(this.#dir, `new-${randomUUID()}`);
    await writeFile(whole, JSON.stringify(built));
    await rename(whole, this.#path(key));
    await this.#forgetOld();
  }

  async forget(key: string): Promise<void> {
    await rm(this.#path(key), { force: true });
  }

  async #forgetOld(): Promise<void> {
    const names = await readdir(this.#dir);
    if (names.length <= KEPT) return;
    const dated = await Promise.all(
      names.map(async (name) => ({
        name,
        at: (await stat(join(this.#dir, name)).catch(() => null))?.mtimeMs ?? 0,
      })),
    );
    for (const { name } of dated.sort((a, b) => b.at - a.at).slice(KEPT))
      await rm(join(this.#dir, name), { force: true });
  }

  #path(key: string): string {
    return join(this.#dir, `${key}.json`);
  }
}

import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DIGITS } from '../contract/digits.ts';
import { Refusal } from '../contract/refusal.ts';

/** A larger position was never issued: it is damage. */
const position = z.string().regex(DIGITS).max(18);
const floor = z
  .int()
  .min(0)
  .max(10 ** 15);
const witnessSchema = z.object({
  format: z.literal(1),
  incarnation: z.string(),
  /**
   * For each org the head of its ledger, and the number above which revisions, fences and epochs were issued.
   */
  orgs: z.record(z.string(), z.object({ position, floor })),
});

/**
 * A record of the store that is kept outside of it: a restored database cannot tell that it has lost its
 * newest part. One data directory witnesses one database.
 */
export type Witness = z.infer<typeof witnessSchema>;

/** The witness cannot be read, or the next server could not read it; the message says what to do. */
export class WitnessRefused extends Refusal {
  override readonly name = 'WitnessRefused';
}

const fileIn = (dir: string) => join(dir, 'witness.json');

export async function readWitness(dir: string): Promise<Witness | null> {
  const file = fileIn(dir);
  try {
    return witnessSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return null;
    throw new WitnessRefused(
      `The file ${file} cannot be read, so nobody can tell whether the database was put back to an earlier day. Nothing was changed. Remove the file, and if the database may have been restored run \`evident recovered\`.`,
      { cause: error },
    );
  }
}

/** Refuses a witness that the next server could not read: numbers that cannot have been issued are damage. */
export function refuseImpossibleWitness(dir: string, witness: Witness): void {
  const { error } = witnessSchema.safeParse(witness);
  if (error === undefined) return;
  const [, org = ''] = error.issues[0]?.path ?? [];
  const { position, floor } = witness.orgs[String(org)] ?? {};
  throw new WitnessRefused(
    `The ledger of ${String(org)} would be at position ${position}, and its numbers above ${floor}: so many were never handed out, so the database is damaged, or ${fileIn(dir)} is. Nothing was changed. Restore the database, or remove the file, and run \`evident recovered\`.`,
  );
}

/** Removes temporary files of servers that were killed while they wrote. */
export async function removeLeftovers(dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const [, pid] = /^witness\.json\.(\d+)$/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(dir, name), { force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Replaces the file atomically: it is written beside, flushed and renamed, so that a crash leaves the old or
 * the new one.
 */
export async function writeWitness(dir: string, witness: Witness): Promise<void> {
  refuseImpossibleWitness(dir, witness);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const file = fileIn(dir);
  // Servers that share a directory each write a temporary file of their own, so that none renames another's
  // away.
  const beside = `${file}.${process.pid}`;
  const written = await open(beside, 'w', 0o600);
  try {
    await written.writeFile(`${JSON.stringify(witness)}\n`);
    await written.sync();
  } finally {
    await written.close();
  }
  await rename(beside, file);
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { ArtifactStore } from '../../src/artifact/store.ts';
import { type ArtifactPoint, CHUNKS } from './artifact-points.ts';
import { die } from './die.ts';

async function* bytes(point: ArtifactPoint): AsyncGenerator<Uint8Array> {
  yield CHUNKS[0];
  if (point === 'arriving') die();
  yield CHUNKS[1];
}

/** Puts the bytes into the store of that directory, and kills this process at the point. */
async function putAndDie(dir: string, point: ArtifactPoint): Promise<void> {
  const { rename } = fs;
  fs.rename = async (from, to) => {
    if (point === 'whole') die();
    await rename(from, to);
    if (point === 'named') die();
  };
  syncBuiltinESMExports();
  const store = await ArtifactStore.open(dir, { maxBytes: 1_000_000, minFreeBytes: 0 });
  await store.put(bytes(point), null);
}

const [, , dir, point] = process.argv;
await putAndDie(dir ?? '', point as ArtifactPoint);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArtifactStore } from '../../src/artifact/store.ts';
import { ARTIFACT_POINTS, type ArtifactPoint, CHUNKS } from './artifact-points.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-artifact-crash-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function* whole(): AsyncGenerator<Uint8Array> {
  yield* CHUNKS;
}

const POINTS = Object.entries(ARTIFACT_POINTS) as [ArtifactPoint, string][];
test.each(POINTS)(
  'a process is killed while it stores an artifact, and the next stores it whole: %s, %s',
  { timeout: 60_000 },
  async (point) => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx/esm', resolve('test/crash/artifact-child.ts'), dir, point],
      { stdio: 'inherit' },
    );
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    expect(readdirSync(join(dir, 'tmp'))).toHaveLength(point === 'named' ? 0 : 1);

    const store = await ArtifactStore.open(dir, { maxBytes: 1_000_000, minFreeBytes: 0 });
    expect(readdirSync(join(dir, 'tmp'))).toEqual([]);
    const found: string[] = [];
    for await (const { digest } of store.digests()) found.push(digest);
    expect(found).toHaveLength(point === 'named' ? 1 : 0);
    const { digest, existed } = await store.put(whole(), found[0] ?? null);
    expect(existed).toBe(point === 'named');
    const stored = await store.get(digest);
    expect(stored && (await buffer(stored.bytes)).equals(Buffer.concat(CHUNKS))).toBe(true);
  },
);

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useServers } from './servers.ts';

interface Block {
  readonly run: string;
  readonly expected: unknown;
}

/** The blocks to run, each with its expected output. */
function blocksOf(page: string): Block[] {
  const found = [...page.matchAll(/```sh\n(.*?)```\n(?:```json\n(.*?)```)?/gs)];
  return found.map(([, run = '', json]) => ({
    run,
    expected: json === undefined ? undefined : JSON.parse(json),
  }));
}

/** `…` stands for anything. */
function pattern(expected: unknown): unknown {
  if (expected === '…') return expect.anything();
  if (Array.isArray(expected)) return expected.map(pattern);
  if (typeof expected !== 'object' || expected === null) return expected;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, pattern(value)])),
  );
}

/** Runs the whole page in one shell; a separator line stands between the outputs of two blocks. */
function shell(
  blocks: readonly Block[],
  env: Record<string, string>,
): Promise<{ output: string[]; code: number | null; errors: string }> {
  const script = ['set -eu', ...blocks.map(({ run }) => `${run}\necho; echo ----`)].join('\n');
  const child = spawn('bash', ['-c', script], { env: { ...process.env, ...env } });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return new Promise((done) =>
    child.once('close', (code) => done({ output: output.split('\n----\n'), code, errors })),
  );
}

describe('docs/api.md', () => {
  const servers = useServers();

  it('every example block matches the answer of the server', { timeout: 120_000 }, async () => {
    const { api } = await servers.start();
    const work = mkdtempSync(join(tmpdir(), 'evident-doc-'));
    const blocks = blocksOf(readFileSync('docs/api.md', 'utf8'));
    expect(blocks.length).toBeGreaterThan(15);
    const { output, code, errors } = await shell(blocks, { API: api.address, ADMIN: api.token, WORK: work });
    rmSync(work, { recursive: true });
    for (const [i, { run, expected }] of blocks.entries()) {
      const printed = (output[i] ?? '').trim();
      if (expected !== undefined)
        expect(printed === '' ? null : JSON.parse(printed), `${run}\n${errors}`).toEqual(pattern(expected));
    }
    expect(code, errors).toBe(0);
  });
});

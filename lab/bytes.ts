import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packTar } from 'modern-tar';

type Files = Readonly<Record<string, string>>;

export async function tarOf(files: Files): Promise<Uint8Array<ArrayBuffer>> {
  const entries = Object.entries(files).map(([name, body]) => ({
    header: { name, size: Buffer.byteLength(body), mtime: new Date(0) },
    body,
  }));
  return (await packTar(entries)) as Uint8Array<ArrayBuffer>;
}

export const digestOf = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/**
 * A directory of this run. Apps and builds outlive what started them, which is the point of some benchmarks: those that
 * we start end by themselves when this directory is gone, so that nothing of a run stays behind and nothing has to be
 * hunted by its number.
 */
export class Leash {
  readonly dir = mkdtempSync(join(tmpdir(), 'evident-bench-'));
  readonly #cut = () => rmSync(this.dir, { recursive: true, force: true });

  constructor() {
    process.once('exit', this.#cut);
  }

  /** Put at the end of a script for Node: it looks four times a second, and never lives for more than ten minutes. */
  get script(): string {
    const gone = `require('node:fs').existsSync(${JSON.stringify(this.dir)}) || process.exit(1)`;
    return `\nsetInterval(() => ${gone}, 250);\nsetTimeout(() => process.exit(1), 600_000);\n`;
  }

  cut(): void {
    process.off('exit', this.#cut);
    this.#cut();
  }
}

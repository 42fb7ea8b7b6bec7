import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Refusal } from '../../contract/refusal.ts';
import { emptyRecord, type ServiceRecord } from './record.ts';

/** A record cannot be read; the message says which file, and what is safe to do with it. */
class RecordRefused extends Refusal {
  override readonly name = 'RecordRefused';
}

/**
 * The file of one service's record. It is written under another name, made durable, then renamed: under its own name it
 * is always whole. Saves run one after the other; one that a newer save overtakes while it waits is left out.
 */
export class StateFile<P = unknown> {
  readonly #path: string;
  #next: ServiceRecord<P> | null = null;
  #saving: Promise<void> | null = null;

  constructor(dir: string, service: string) {
    this.#path = join(dir, `${service}.json`);
  }

  /** Resolves when this record, or a newer one, is durable. */
  save(record: ServiceRecord<P>): Promise<void> {
    this.#next = record;
    const before = this.#saving ?? Promise.resolve();
    const mine = before
      .catch(() => {})
      .then(async () => {
        const next = this.#next;
        this.#next = null;
        if (next !== null) await writeDurably(this.#path, JSON.stringify(next));
      });
    this.#saving = mine;
    return mine;
  }

  /** Resolves when nothing is being written any more. */
  async idle(): Promise<void> {
    while (this.#saving !== null) {
      const saving = this.#saving;
      await saving.catch(() => {});
      if (this.#saving === saving) this.#saving = null;
    }
  }

  /** Every record in the directory. */
  static async all<P>(dir: string): Promise<readonly ServiceRecord<P>[]> {
    const records: ServiceRecord<P>[] = [];
    for (const name of (await readdir(dir)).sort()) {
      if (name.endsWith('.tmp')) await rm(join(dir, name), { force: true });
      else if (name.endsWith('.json')) records.push(await readRecord(join(dir, name)));
    }
    return records;
  }
}

async function readRecord<P>(path: string): Promise<ServiceRecord<P>> {
  const text = await readFile(path, 'utf8');
  try {
    const record = JSON.parse(text) as ServiceRecord<P>;
    if (record.version === 1) return { ...emptyRecord(record.service), ...record };
  } catch {
    // Thrown below.
  }
  // Never skipped: its instances would run on unsupervised, and be started a second time.
  throw new RecordRefused(
    `${path} is no state that this version of Evident can read. Start the version that wrote it, or stop the processes of this service and remove the file.`,
  );
}

/** Owner only, from its first byte: records hold the secrets that apps are started with (S15). */
export async function writeDurably(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  const dir = await open(dirname(path), 'r');
  try {
    await dir.sync();
  } finally {
    await dir.close();
  }
}

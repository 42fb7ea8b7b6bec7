import assert from 'node:assert/strict';
import type { Host } from '../../../src/evidence/door/host.ts';
import { readFrom } from '../../../src/evidence/read.ts';
import { readable } from '../../../src/store/broken-row.ts';
import type { Store } from '../../../src/store/port.ts';
import { type Seen, whatStands } from './reader.ts';
import { SHARED, type Told } from './writer.ts';

/** What the outside world has been told, across all deaths: acknowledged writes, and what each reader has seen. */
export class Heard {
  readonly told: Told[] = [];
  readonly #next = new Map<string, number>();
  readonly #seen = new Map<string, (readonly [string, string])[]>();

  hear(line: Told | Seen): void {
    if ('writer' in line) {
      this.told.push(line);
      this.#next.set(line.writer, line.n + 1);
      return;
    }
    const seen = this.#seen.get(line.reader) ?? [];
    for (const entry of line.entries) {
      // n+1 is never there before n is, and nothing comes twice: also across the deaths of the reader itself.
      assert.equal(entry[0], String(seen.length + 1), `what ${line.reader} saw next`);
      seen.push(entry);
    }
    assert.ok(Number(line.head) >= seen.length, 'nothing is seen above the head');
    this.#seen.set(line.reader, seen);
  }

  /** Where whoever starts again goes on. */
  nextOf = (writer: string) => this.#next.get(writer) ?? 1;
  positionOf = (reader: string) => String(this.#seen.get(reader)?.length ?? 0);

  /** Nothing acknowledged is missing, nothing was done twice, and every reader has seen exactly what is there. */
  async check(store: Store, host: Host): Promise<void> {
    const { entries, head } = await readFrom(host, SHARED, '0', 1_000_000);
    assert.deepEqual(
      entries.map((e) => e.position),
      Array.from({ length: Number(head) }, (_, n) => String(n + 1)),
    );
    const story = entries.map((entry) => [entry.position, whatStands(entry)]);
    assert.ok(this.#seen.size > 0);
    for (const [reader, seen] of this.#seen) assert.deepEqual(seen, story, reader);
    await store.read(async (tx) => {
      for (const told of this.told) {
        const { org, writer, n } = told;
        const name = `${writer}-${n}`;
        if (told.wrote === 'evidence') {
          assert.equal(readable(await tx.get('ledger', { org, position: told.position })).id, name);
        } else {
          const { service, revision } = told;
          const key = await tx.get('keys', { org, token: writer, key: name });
          assert.deepEqual([readable(key).service, readable(key).revision], [service, revision]);
        }
      }
      const [keys, revisions] = [await tx.select('keys', {}), await tx.select('revisions', {})];
      assert.equal(revisions.length, keys.length, 'one revision for each key, whoever died how often');
      const ids = (await tx.select('ledger', { kind: 'build.progress' })).map(
        (row) => `${readable(row).org}|${readable(row).id}`,
      );
      assert.equal(new Set(ids).size, ids.length, 'one row for each id');
    });
  }
}

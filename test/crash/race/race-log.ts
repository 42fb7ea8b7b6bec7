import assert from 'node:assert/strict';
import type { Host } from '../../../src/evidence/door/host.ts';
import { readFrom } from '../../../src/evidence/read.ts';
import { readable } from '../../../src/store/broken-row.ts';
import type { Store } from '../../../src/store/port.ts';
import { describeEntry, type PollResult } from './reader.ts';
import { SHARED, type WriteAnswer } from './writer.ts';

/** The output of all processes, across all kills: the acknowledged writes, and the entries that each reader has read. */
export class RaceLog {
  readonly answers: WriteAnswer[] = [];
  readonly #next = new Map<string, number>();
  readonly #entriesRead = new Map<string, (readonly [string, string])[]>();

  add(line: WriteAnswer | PollResult): void {
    if ('writer' in line) {
      this.answers.push(line);
      this.#next.set(line.writer, line.n + 1);
      return;
    }
    const entriesRead = this.#entriesRead.get(line.reader) ?? [];
    for (const entry of line.entries) {
      // A reader gets position n before n+1, and none twice, also across its own kills.
      assert.equal(entry[0], String(entriesRead.length + 1), `the next position that ${line.reader} reads`);
      entriesRead.push(entry);
    }
    assert.ok(Number(line.head) >= entriesRead.length, 'no entry is read above the head');
    this.#entriesRead.set(line.reader, entriesRead);
  }

  /** The number or position at which a restarted process continues. */
  nextOf = (writer: string) => this.#next.get(writer) ?? 1;
  positionOf = (reader: string) => String(this.#entriesRead.get(reader)?.length ?? 0);

  /** Checks that no acknowledged write is missing, none was done twice, and every reader has read the whole ledger. */
  async check(store: Store, host: Host): Promise<void> {
    const { entries, head } = await readFrom(host, SHARED, '0', 1_000_000);
    assert.deepEqual(
      entries.map((e) => e.position),
      Array.from({ length: Number(head) }, (_, n) => String(n + 1)),
    );
    const expected = entries.map((entry) => [entry.position, describeEntry(entry)]);
    assert.ok(this.#entriesRead.size > 0);
    for (const [reader, entriesRead] of this.#entriesRead) assert.deepEqual(entriesRead, expected, reader);
    await store.read(async (tx) => {
      for (const answer of this.answers) {
        const { org, writer, n } = answer;
        const name = `${writer}-${n}`;
        if (answer.wrote === 'evidence') {
          assert.equal(readable(await tx.get('ledger', { org, position: answer.position })).id, name);
        } else {
          const { service, revision } = answer;
          const key = await tx.get('keys', { org, token: writer, key: name });
          assert.deepEqual([readable(key).service, readable(key).revision], [service, revision]);
        }
      }
      const [keys, revisions] = [await tx.select('keys', {}), await tx.select('revisions', {})];
      assert.equal(
        revisions.length,
        keys.length,
        'one revision for each key, however often its writer was killed',
      );
      const ids = (await tx.select('ledger', { kind: 'build.progress' })).map(
        (row) => `${readable(row).org}|${readable(row).id}`,
      );
      assert.equal(new Set(ids).size, ids.length, 'one row for each id');
    });
  }
}

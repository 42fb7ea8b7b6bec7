import type { Rng } from '../../lab/rng.ts';
import { claimAt, claimNow } from '../../src/evidence/read.ts';
import type { Settings } from '../../src/projection/facts.ts';
import { canonicalJson } from '../../src/store/canonical.ts';
import type { MemoryStore } from '../../src/store/memory.ts';
import type { ReadTx, Store } from '../../src/store/port.ts';
import { KEYS, type Table } from '../../src/store/schema.ts';
import type { Violation } from '../oracle-port.ts';
import type { TwinCounts } from './counters.ts';
import type { RealStore } from './real-store.ts';
import { sameSet, sameValue } from './same.ts';

/** The number of past instants of each service that are read from both stores. */
const INSTANTS = 4;

/** Compares both stores at the end of a schedule: every row of every table, and every claim, of now and of the past. */
export async function sameEnding(
  memory: MemoryStore,
  real: RealStore,
  settings: Settings,
  rng: Rng,
  counts: TwinCounts,
): Promise<Violation | null> {
  const tables = await real.read((tx) => differentTable(memory, tx, counts));
  if (tables !== null) return { invariant: 'same tables', detail: `${real.name}: ${tables}` };
  const claims = await differentClaim(memory, real, settings, rng, counts);
  return claims === null ? null : { invariant: 'same claims', detail: `${real.name}: ${claims}` };
}

async function differentTable(memory: MemoryStore, tx: ReadTx, counts: TwinCounts): Promise<string | null> {
  for (const table of Object.keys(KEYS) as Table[]) {
    const [mine, its] = [[...memory.tables[table].values()], await tx.select(table, {})];
    counts['same rows at the end'] += mine.length;
    if (sameSet(mine, its)) continue;
    const [expected, got] = [mine.map(canonicalJson), its.map(canonicalJson)];
    const only = (a: readonly string[], b: readonly string[]) =>
      a.find((row) => !b.includes(row)) ?? 'nothing';
    return `${table} differs: only memory has ${only(expected, got)}, only it has ${only(got, expected)}`;
  }
  return null;
}

async function differentClaim(
  memory: MemoryStore,
  real: Pick<Store, 'read'>,
  settings: Settings,
  rng: Rng,
  counts: TwinCounts,
): Promise<string | null> {
  const transitions = [...memory.tables.transitions.values()];
  const hosts = [memory, { read: real.read, transact: refuse }].map((store) => ({ store, settings }));
  for (const { org, service } of memory.tables.services.values()) {
    const [ours, theirs] = await Promise.all(hosts.map((host) => claimNow(host, org, service, 'operator')));
    counts['same claims']++;
    if (!sameValue(ours, theirs)) return told(service, 'now', ours, theirs);
    const own = transitions.filter((t) => t.org === org && t.service === service);
    for (let n = 0; n < INSTANTS && own.length > 0; n++) {
      const at = rng.pick(own).at + rng.int(-1, 1_000);
      const [before, beside] = await Promise.all(hosts.map((host) => claimAt(host, org, service, at)));
      counts['same claims of the past']++;
      if (!sameValue(before, beside)) return told(service, `at ${at}`, before, beside);
    }
  }
  return null;
}

const told = (service: string, when: string, ours: unknown, theirs: unknown) =>
  `the claim of ${service} ${when} is ${canonicalJson(ours)} from memory, ${canonicalJson(theirs)} from it`;

const refuse = () => Promise.reject(new Error('claims are only read'));

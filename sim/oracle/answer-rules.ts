import type { MemoryStore } from '../../src/store/memory.ts';
import type { AnyLedgerRow } from '../../src/store/schema.ts';
import type { Happening } from '../oracle-port.ts';
import type { Findings } from './findings.ts';

type HappeningOf<K extends Happening['kind']> = Extract<Happening, { kind: K }>;

/** Checks answers to clients, workers and agents: S7 for keys, S8 for verdicts. */
export class AnswerRules {
  readonly #findings: Findings;
  readonly #tables: MemoryStore['tables'];
  readonly #answers = new Map<string, HappeningOf<'answered'>>();
  readonly #verdicts = new Map<string, HappeningOf<'judged'>>();

  constructor(findings: Findings, tables: MemoryStore['tables']) {
    this.#findings = findings;
    this.#tables = tables;
  }

  /** S7: the same key gives the same result, and nothing to another request. */
  answered(happening: HappeningOf<'answered'>): void {
    const { org, token, key, fingerprint, service, revision, attempt } = happening;
    const name = `${org}|${token}|${key}`;
    const said = `key ${key} of ${token}`;
    const row = this.#tables.keys.get(name);
    this.#findings.count('S7');
    if (row === undefined || row.revision !== revision || row.attempt !== attempt || row.service !== service)
      this.#findings.broken(
        'S7',
        `${said} was answered ${service} r${revision} a${attempt}, which is not recorded`,
      );
    else if (row.fingerprint !== fingerprint)
      this.#findings.broken('S7', `${said} was answered for another request than it was used for`);
    const first = this.#answers.get(name);
    if (first === undefined) {
      this.#answers.set(name, happening);
      return;
    }
    this.#findings.count('S7.again');
    if (first.fingerprint !== fingerprint)
      this.#findings.broken(
        'S7',
        `${said} was accepted for ${first.fingerprint} and then for ${fingerprint}`,
      );
    if (first.revision !== revision || first.attempt !== attempt || first.service !== service)
      this.#findings.broken(
        'S7',
        `${said} was answered r${first.revision} a${first.attempt} and then r${revision} a${attempt}`,
      );
    if (!happening.replayed) this.#findings.broken('S7', `${said} was carried out twice`);
  }

  /** A verdict is what the ledger says, and the same id and body get the same one again. */
  judged(happening: HappeningOf<'judged'>): void {
    const { org, source, id, verdict, position, hostile, duplicate } = happening;
    this.#findings.count(`judged.${happening.reason ?? 'admitted'}`);
    const row = this.#tables.ledger.get(`${org}|${position}`);
    if (row === undefined || row.verdict !== verdict || (row.id !== id && !standsFor(row, happening)))
      this.#findings.broken(
        'S8',
        `${source} was told that ${id} is ${verdict} at ${position}; the ledger says otherwise`,
      );
    else if (row.source.name !== source)
      this.#findings.broken(
        'S13',
        `${source} was told about ${id} at ${position}, which ${row.source.name} sent`,
      );
    if (hostile && verdict === 'admitted' && !duplicate)
      this.#findings.broken(
        'S13',
        `${id} of ${source}, who never held that lease, was admitted at ${position}`,
      );
    // Another body under the same id is another matter.
    if (happening.reason === 'conflicting_duplicate' || happening.reason === 'invalid') return;
    const name = `${org}|${source}|${id}`;
    const first = this.#verdicts.get(name);
    if (first === undefined) {
      this.#verdicts.set(name, happening);
      return;
    }
    this.#findings.count('S8.again');
    if (first.verdict !== verdict || first.position !== position)
      this.#findings.broken(
        'S8',
        `${id} of ${source} was ${first.verdict} at ${first.position}, then ${verdict} at ${position}`,
      );
  }
}

/** A person's first rejected evidence stands for all of the same reason (F125); each of a component's has its row. */
function standsFor(row: AnyLedgerRow, { reason }: HappeningOf<'judged'>): boolean {
  const isPerson = row.source.role === 'api' || row.source.role === 'operator';
  return isPerson && row.verdict === 'rejected' && row.reason === reason;
}

import type { AlarmRow, TransitionRow } from '../../src/store/schema.ts';
import { attemptKey, type Books, digitsAsNumber } from './books.ts';
import type { Findings } from './findings.ts';
import type { LedgerRules } from './ledger-rules.ts';

/** Recorded changes of the claim: one chain per service, and time alone never makes anything stronger. */
export class TransitionRules {
  readonly #books: Books;
  readonly #findings: Findings;
  readonly #ledger: LedgerRules;

  constructor(books: Books, findings: Findings, ledger: LedgerRules) {
    this.#books = books;
    this.#findings = findings;
    this.#ledger = ledger;
  }

  row(row: TransitionRow, before: TransitionRow | undefined, trueNow: number): void {
    const findings = this.#findings;
    const org = this.#books.org(row.org);
    if (before !== undefined) findings.broken('S10', `transition ${row.position} was written again`);
    this.#ledger.position(org, row.position);
    org.transitions.push(digitsAsNumber(row.position));
    org.transitionsSeenAt.push(trueNow);
    if (row.owner !== 'clock') org.commit.transition = row;
    const book = this.#books.service(row.org, row.service);
    const last = book.lastTransition;
    const said = `transition ${row.position} of ${book.name} from ${row.from} to ${row.to} (${row.owner})`;
    findings.count('transition');
    if (row.from !== (last?.to ?? null))
      findings.broken('model', `${said} does not go on from ${last?.to ?? 'nothing'}`);
    if (last !== null && row.at < last.at)
      findings.broken('model', `${said} is at ${row.at}, before the one before it at ${last.at}`);
    if (row.owner === 'clock') {
      // A queued revision becomes active when a deadline ends the one before it.
      const isBirth = row.to === 'accepted' && row.revision !== last?.revision;
      if (row.to === 'unknown' || row.to === 'failed' || isBirth)
        findings.count(`transition.clock.${row.to as 'unknown' | 'failed' | 'accepted'}`);
      else findings.broken('S1', `${said}: a clock alone never makes anything stronger`);
    }
    if (row.to === 'running') {
      const observe = book.revisions.get(row.revision)?.origin.kind === 'observe';
      if (row.owner !== 'watcher' && !(observe && row.owner === 'api'))
        findings.broken('S1', `${said}: only what a watcher sees makes it running`);
      book.ran.add(attemptKey(row.revision, row.attempt));
      book.loopFailed = null;
    }
    const cited = book.admittedIds.has(row.evidence) || org.looseIds.has(row.evidence);
    if (!cited) {
      const refused = book.rejectedIds.has(row.evidence);
      findings.broken(
        refused ? 'S8' : 'S14',
        `${said} cites ${row.evidence || 'nothing'}, which ${refused ? 'was refused' : 'is not in the ledger'}`,
      );
    }
    book.lastTransition = row;
    if (row.to !== 'unknown')
      book.lastKnown = { stamp: attemptKey(row.revision, row.attempt), state: row.to };
  }

  alarm(row: AlarmRow, before: AlarmRow | undefined): void {
    if (before !== undefined) this.#findings.broken('S10', `alarm ${row.position} was written again`);
    this.#ledger.position(this.#books.org(row.org), row.position);
    if (row.code === 'unissued' || row.code === 'conflicting_duplicate')
      this.#findings.count(`alarm.${row.code}`);
    else this.#findings.broken('model', `${row.code} of ${row.service} in ${row.org} at ${row.position}`);
  }
}

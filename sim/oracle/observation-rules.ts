import type { Claim } from '../../src/contract/claim.ts';
import type { ObservationRule } from '../../src/contract/observation.ts';
import type { TargetRow } from '../../src/store/schema.ts';
import type { OracleInputs } from '../oracle-port.ts';
import type { TruthMoment } from '../world.ts';
import type { ServiceBook } from './books.ts';
import type { Findings } from './findings.ts';
import { type Held, iso } from './held-claim.ts';
import { truthText } from './truth-rules.ts';

/** Room for an agent that was down, and for its first reports after that. */
const FOUND_MS = 40_000;

/** A rule of a target and the services that it finds: what appears, what it leaves out, what is gone. */
export class ObservationRules {
  readonly #findings: Findings;
  readonly #around: OracleInputs;

  constructor(findings: Findings, around: OracleInputs) {
    this.#findings = findings;
    this.#around = around;
  }

  ruleOf(org: string, target: string): ObservationRule | null {
    return this.#around.store.tables.targets.get(`${org}|${target}`)?.observation ?? null;
  }

  /** Its version grows by one with every change, and with nothing else. */
  written(row: TargetRow, before: TargetRow | undefined): void {
    const [was, is] = [before?.observation ?? null, row.observation ?? null];
    if (is === null || was === is) return;
    this.#findings.count('observation.rule');
    const said = `the rule of ${row.target} has version ${is.version} after ${was?.version ?? 'none'}`;
    const words = (rule: ObservationRule | null) => JSON.stringify([rule?.namespaces, rule?.selector]);
    if (is.version !== (was?.version ?? 0) + 1) this.#broken(said);
    else if (was !== null && words(was) === words(is)) this.#broken(`${said}, and says the same`);
  }

  /** A service begins with a report that follows the rule of now, in a namespace that it covers. */
  begun({ org, name, view }: ServiceBook): void {
    const rule = this.ruleOf(org, view.target);
    this.#findings.count('observation.begun');
    if (rule === null || view.coverage?.coveredBy(rule) !== true)
      this.#broken(`${name} began, though no rule covers its namespace`);
    else if (view.followed !== rule.version)
      this.#broken(`${name} began with a report that follows version ${view.followed} of ${rule.version}`);
  }

  claim({ book, claim, sight, now }: Held): void {
    const { coverage } = book.view;
    if (coverage === null || book.view.untold || book.view.replaced || sight === null || sight.corrupt)
      return;
    const fate = coverage.fateOf(book.service);
    const code = claim.cause?.code ?? null;
    const said = `the claim of ${book.name}, ${claim.state} (${code})`;
    if (code === 'not_observed' && fate !== 'not_observed')
      this.#broken(`${said}, but by its reports it is ${fate}`);
    if (code === 'removed_elsewhere' && fate !== 'removed')
      this.#broken(`${said}, but by its reports it is ${fate}`);
    // That nobody looks stays so, however long nobody does.
    if (fate === 'not_observed') {
      this.#findings.count('observation.not_observed');
      if (code !== 'not_observed' || claim.state !== 'unknown')
        this.#broken(`${said}, but a report as of ${iso(sight.asOf)} follows a rule that leaves it out`);
    }
    if (now >= sight.asOf + this.#around.settings.freshForMs) return;
    if (fate === 'removed') this.#removed(said, claim, sight.instances.length, book, sight.seenAt);
  }

  #removed(said: string, { state, cause }: Claim, left: number, book: ServiceBook, seenAt: number): void {
    if (left > 0) {
      this.#findings.count('observation.left');
      if (state !== 'stopping' && state !== 'unknown')
        this.#broken(`${said}, but it is gone, and ${left} are left`);
      return;
    }
    this.#findings.count('observation.removed');
    if (state !== 'stopped' || cause?.code !== 'removed_elsewhere')
      this.#broken(`${said}, but it is gone from a complete report, with all of its instances`);
    const truths = this.#around.world.between(book.service, seenAt - 1, seenAt);
    const isGone = ({ workload, instances }: TruthMoment) =>
      workload === null || (!workload.isThere && instances.length === 0);
    if (!truths.some(isGone))
      this.#broken(`${said}, but at the instant that was seen (true ${seenAt}) ${truthText(truths[0])}`);
  }

  /** After faults have stopped: what the rule covers is found, and what it does not is not claimed to be anything. */
  finished(book: ServiceBook, claim: Claim, now: number): void {
    const { coverage, untold, target } = book.view;
    const { at, workload } = this.#around.world.now(book.service);
    const rule = this.ruleOf(book.org, target);
    if (coverage === null || untold || rule === null || workload === null) return;
    const ruledFor = now - rule.since;
    if (Math.min(this.#around.trueNow() - at, ruledFor) < FOUND_MS) return;
    const isSelected = rule.selector === null || rule.selector === `tier=${workload.tier}`;
    const isCovered = coverage.coveredBy(rule) && isSelected;
    this.#findings.count(isCovered ? 'observation.found' : 'observation.left_out');
    const said = `${book.name} is ${claim.state} (${claim.cause?.code ?? null})`;
    if (isCovered && workload.isThere && claim.cause?.code === 'not_observed')
      this.#broken(`${said}, but version ${rule.version} of the rule covers it`);
    if (!isCovered && workload.isThere && claim.state !== 'unknown')
      this.#broken(`${said}, but version ${rule.version} of the rule leaves it out`);
    if (!isCovered && workload.isThere && claim.cause?.code === 'not_observed' && book.row?.hidden !== true)
      this.#broken(`${said}, and is on the list`);
  }

  #broken(detail: string): void {
    this.#findings.broken('observation', detail);
  }
}

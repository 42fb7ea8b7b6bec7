import type { ObservationRule } from '../../src/contract/observation.ts';
import type { ReportedEntry } from './report-items.ts';

/** The last word of a namespace's reports about a workload that a rule had found. */
type OracleFate = 'there' | 'removed' | 'not_observed';

/** A report of a namespace, as far as it says what its rule covers. */
interface CoveringReport {
  readonly kind: 'full' | 'change' | 'heartbeat';
  /** The version of the rule that it follows; 0: none. */
  readonly followed: number;
  readonly complete: boolean;
  readonly uncovered: readonly string[];
  readonly removedEntries: readonly string[];
  /** The rule of the target at its commit; null: there is none. */
  readonly rule: ObservationRule | null;
}

/** A service after a report, as the reports show it. */
interface WorkloadSight {
  readonly entry: ReportedEntry | null;
  readonly hasInstances: boolean;
  readonly isCorrupt: boolean;
}

interface CoverageNote {
  readonly shownUnder: number;
  readonly uid: string;
  readonly fate: OracleFate;
  /** It was removed, and its last instance was gone too. */
  readonly isProvenGone: boolean;
}

/** What reports say of the workloads of one namespace that rules find or leave out (docs/protocol.md, "What other tools deploy"). */
export class Coverage {
  readonly #namespace: string;
  readonly #notes = new Map<string, CoverageNote>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  fateOf(service: string): OracleFate | null {
    return this.#notes.get(service)?.fate ?? null;
  }

  /** Another object of that name, which no rule covers, is none that the claim is about. */
  isAnother(service: string, uid: string): boolean {
    const note = this.#notes.get(service);
    return note !== undefined && note.uid !== uid;
  }

  note(service: string, report: CoveringReport, { entry, hasInstances, isCorrupt }: WorkloadSight): void {
    if (isCorrupt) return;
    const before = this.#notes.get(service);
    if (entry !== null) {
      const { workload: uid = '' } = entry;
      this.#notes.set(service, { shownUnder: report.followed, uid, fate: 'there', isProvenGone: false });
      return;
    }
    if (before === undefined || !report.complete) return;
    const fate = this.#fateWithout(service, report, before);
    this.#notes.set(service, { ...before, fate, isProvenGone: fate === 'removed' && !hasInstances });
  }

  #fateWithout(service: string, report: CoveringReport, before: CoverageNote): OracleFate {
    const { kind, followed, rule } = report;
    // Changes and heartbeats say nothing of what they do not name.
    if (kind !== 'full' && !report.removedEntries.includes(service)) return before.fate;
    if (report.uncovered.includes(before.uid)) return 'not_observed';
    if (before.isProvenGone) return 'removed';
    const isOfNow = rule !== null && rule.version === followed;
    if (isOfNow && rule.selector === null && this.coveredBy(rule)) return 'removed';
    return followed === before.shownUnder ? 'removed' : 'not_observed';
  }

  coveredBy({ namespaces }: ObservationRule): boolean {
    return namespaces !== null && (namespaces.includes('*') || namespaces.includes(this.#namespace));
  }
}

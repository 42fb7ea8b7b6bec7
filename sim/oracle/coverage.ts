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
  /** Kind and name of the workload: whoever creates it anew, it is the same service. */
  readonly object: string;
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

  note(service: string, report: CoveringReport, { entry, hasInstances, isCorrupt }: WorkloadSight): void {
    if (isCorrupt) return;
    const before = this.#notes.get(service);
    if (entry !== null) {
      const { object } = entry;
      this.#notes.set(service, { shownUnder: report.followed, object, fate: 'there', isProvenGone: false });
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
    if (report.uncovered.includes(before.object)) return 'not_observed';
    const ofNow = rule !== null && rule.version === followed ? rule : null;
    if (followed === 0 || (ofNow !== null && !this.coveredBy(ofNow))) return 'not_observed';
    if (before.isProvenGone || ofNow?.selector === null) return 'removed';
    return followed === before.shownUnder ? 'removed' : 'not_observed';
  }

  coveredBy({ namespaces }: ObservationRule): boolean {
    return namespaces !== null && (namespaces.includes('*') || namespaces.includes(this.#namespace));
  }
}

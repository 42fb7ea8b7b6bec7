import { createHash } from 'node:crypto';
import { compareDigits } from '../../contract/digits.ts';
import { targetOf } from '../../contract/names.ts';
import type { ObservationRule } from '../../contract/observation.ts';
import { readable, type Stored } from '../../store/broken-row.ts';
import type { HeadRow } from '../../store/schema.ts';
import { isSameHead, type RecentCommit } from '../door/recent-commits.ts';

/** A report with more items is compared each time: its fingerprint would block the thread (F80). */
const MOST_ITEMS = 1_000;
/** Caps the scopes that are kept of one org. */
const MOST_SCOPES = 100_000;
/** However calm, a report is compared anew after this time: a repair of rows moves no head. */
const ANEW_MS = 60_000;

/** Everything in a full report that its comparison depends on, but the rule of its target. */
interface ComparedReport {
  readonly target: string;
  readonly scope: string;
  /** The fingerprint of its content (`contentOf`). */
  readonly content: string;
  readonly rule: ObservationRule | null;
}

interface KeptComparison {
  readonly content: string;
  readonly ruleVersion: number | null;
  readonly at: number;
}

interface KeptOrg {
  /** The head at which the stored services are what the kept reports were compared with. */
  head: HeadRow;
  readonly byTarget: Map<string, Map<string, KeptComparison>>;
}

/**
 * The full reports that were compared lately and showed no news: the same content again shows none either, as long as
 * nothing is recorded about their target. That is proven by the head of the ledger: facts change only with a row behind
 * it, and the rows of this process are known. After a commit of another process, or a restore, everything is compared
 * anew. Only calm is remembered: what might be silent or new is always read.
 */
export class ComparedReports {
  readonly #orgs = new Map<string, KeptOrg>();

  /** True if this content was kept for its scope: a hint, as `isCalm` has to say it of the head of now. */
  hasKept(org: string, { target, scope, content }: Omit<ComparedReport, 'rule'>): boolean {
    return this.#orgs.get(org)?.byTarget.get(target)?.get(scope)?.content === content;
  }

  /** True if the report was compared without news with the services as they are at this head. */
  isCalm(head: HeadRow, now: number, { target, scope, content, rule }: ComparedReport): boolean {
    const org = this.#orgs.get(head.org);
    const kept = org?.byTarget.get(target)?.get(scope);
    if (org === undefined || kept === undefined || !isSameHead(org.head, head)) return false;
    if (now < kept.at || now >= kept.at + ANEW_MS) return false;
    return kept.content === content && kept.ruleVersion === (rule?.version ?? null);
  }

  /** Keeps a report that showed no news of services that were read between two reads of this head. */
  keep(head: HeadRow, now: number, { target, scope, content, rule }: ComparedReport): void {
    const org = this.#orgs.get(head.org);
    if (org !== undefined && compareDigits(org.head.position, head.position) > 0) return;
    if (org === undefined || !isSameHead(org.head, head)) {
      this.#orgs.set(head.org, { head, byTarget: new Map() });
      this.keep(head, now, { target, scope, content, rule });
      return;
    }
    const scopes = org.byTarget.get(target) ?? new Map<string, KeptComparison>();
    if (scopes.size >= MOST_SCOPES) scopes.clear();
    org.byTarget.set(target, scopes.set(scope, { content, ruleVersion: rule?.version ?? null, at: now }));
  }

  /** Goes on to the head of a commit of this process, without the targets that it is about. */
  moveOn({ before, after, entries }: RecentCommit): void {
    const org = this.#orgs.get(after.org);
    if (org === undefined) return;
    if (!isSameHead(org.head, before)) {
      this.#orgs.delete(after.org);
      return;
    }
    org.head = after;
    for (const { row } of entries) {
      const { service, target } = readable(row as Stored<'ledger'>);
      const about = target ?? (service == null ? null : targetOf(service));
      if (about !== null) org.byTarget.delete(about);
    }
  }

  /** A report of the target goes through the door: it may change what no row of the ledger says. */
  forget(org: string, target: string): void {
    this.#orgs.get(org)?.byTarget.delete(target);
  }
}

/** The fingerprint of what a full report says, without when it says so; null for a report that is compared each time. */
export function contentOf(input: unknown): string | null {
  if (typeof input !== 'object' || input === null || !('complete' in input)) return null;
  const { epoch, seq, watchAgeMs, at, heard, heardAgoMs, ...content } = input as Readonly<
    Record<string, unknown>
  >;
  const { instances, services } = content;
  if (!Array.isArray(instances) || !Array.isArray(services)) return null;
  if (instances.length + services.length > MOST_ITEMS) return null;
  return createHash('sha256').update(JSON.stringify(content)).digest('base64');
}

import { addDigits, compareDigits, type Digits } from '../../contract/digits.ts';
import { readable, type Stored } from '../../store/broken-row.ts';
import type { HeadRow, TransitionRow } from '../../store/schema.ts';
import type { LedgerEntry } from '../ledger-entry.ts';
import type { MovedFile } from './judge-ahead.ts';

/** More are not kept for a reader that is behind: it reads the store. */
const KEPT = 10_000;

/** A commit that has grown the ledger of an org, as the transaction left it. */
export interface RecentCommit {
  /** The head on which the transaction built, read behind its lock. */
  readonly before: HeadRow;
  /** The head as the transaction left it. */
  readonly after: HeadRow;
  /** The rows of all positions in between, in order. */
  readonly entries: readonly LedgerEntry[];
  /** The services whose claims have changed. */
  readonly files: readonly MovedFile[];
}

/** A service as a commit of this process left it. */
interface LeftFile extends MovedFile {
  /** The instant of the commit. */
  readonly at: number;
}

/** The commits of an org that build on each other without a gap. */
interface Kept {
  files: Map<Digits, LeftFile>;
  entries: LedgerEntry[];
  /** The heads at which one of these commits ended, by position. */
  heads: Map<Digits, HeadRow>;
  /** The head of the newest of them. */
  last: HeadRow | null;
}

/**
 * The newest commits of this process, until the feed of their org has sent them: thousands of services that fall silent
 * at once are not read again (S2). A feed that is behind finds the earlier transitions of a service here too; computed
 * from the ledger they would cost it most of its time, and leave it further behind. A cache: what is not here is read.
 */
export class RecentCommits {
  readonly #orgs = new Map<string, Kept>();

  /** Keeps the commits of an org from now on, until the returned function is called. */
  want(org: string): () => void {
    const kept: Kept = { files: new Map(), entries: [], heads: new Map(), last: null };
    this.#orgs.set(org, kept);
    return () => {
      if (this.#orgs.get(org) === kept) this.#orgs.delete(org);
    };
  }

  /** Somebody watches the org. */
  isWanted(org: string): boolean {
    return this.#orgs.has(org);
  }

  keep(commit: RecentCommit): void {
    const { before, after, entries, files } = commit;
    const kept = this.#orgs.get(after.org);
    if (kept === undefined) return;
    // The oldest stay: the feed sends them next.
    for (const { file, told } of files)
      if (file.recorded !== null && kept.files.size < KEPT)
        kept.files.set(file.recorded.position, { file, told, at: after.at });
    // A commit of another process came between, or a restore: what was kept leads no further.
    if (kept.last === null || !isSameHead(kept.last, before)) {
      kept.entries = [];
      kept.heads.clear();
      kept.last = null;
    }
    // The next commit does not build on the last that is kept then, and all begins anew with it.
    if (!isWithoutGap(commit) || kept.entries.length + entries.length > KEPT) return;
    kept.entries.push(...entries);
    kept.heads.set(after.position, after);
    kept.last = after;
  }

  /**
   * The next entries after a position, at most `limit`, where all of them up to this head were written here; undefined
   * if they have to be read. The head is the one just read from the store: after a restore, or a commit of another
   * process, it is none of those at which a kept commit ended (F54).
   */
  entriesAfter(
    position: Digits,
    head: Stored<'heads'> | undefined,
    limit: number,
  ): readonly LedgerEntry[] | undefined {
    const { org, position: to } = readable(head);
    const kept = org === undefined ? undefined : this.#orgs.get(org);
    const end = to === undefined ? undefined : kept?.heads.get(to);
    if (kept === undefined || end === undefined || !isSameHead(end, readable(head))) return undefined;
    const next = addDigits(position, 1);
    const from = kept.entries.findIndex((entry) => entry.position === next);
    return from < 0 ? undefined : kept.entries.slice(from, from + limit);
  }

  /**
   * The service as this transition left it; undefined if that is not kept. After a restore another transition may have
   * the position of one that was lost: it was recorded at another instant.
   */
  after(
    org: string,
    { service, position, recordedAt }: Pick<TransitionRow, 'service' | 'position' | 'recordedAt'>,
  ): LeftFile | undefined {
    const left = this.#orgs.get(org)?.files.get(position);
    return left?.file.service === service && left.at === recordedAt ? left : undefined;
  }

  /** Drops everything up to this position. */
  forget(org: string, position: Digits): void {
    const kept = this.#orgs.get(org);
    if (kept === undefined) return;
    const isPassed = (at: Digits) => compareDigits(at, position) <= 0;
    // Positions grow from commit to commit. What a restore has lost stays until the feed passes it, at most KEPT.
    for (const at of kept.files.keys()) {
      if (!isPassed(at)) break;
      kept.files.delete(at);
    }
    // The last head stays for the next commit to build on.
    for (const at of kept.heads.keys()) {
      if (!isPassed(at)) break;
      kept.heads.delete(at);
    }
    const rest = kept.entries.findIndex((entry) => !isPassed(entry.position));
    kept.entries.splice(0, rest < 0 ? kept.entries.length : rest);
  }
}

/** A position alone does not tell: after a restore it is issued a second time, at another instant. */
export const isSameHead = (a: HeadRow, b: Partial<HeadRow>) =>
  a.position === b.position && a.at === b.at && a.recoveredAt === b.recoveredAt;

/** A recovery leaves out the positions that may have been lost; it is read from the store. */
function isWithoutGap({ before, after, entries }: RecentCommit): boolean {
  return (
    entries[0]?.position === addDigits(before.position, 1) &&
    addDigits(before.position, entries.length) === after.position
  );
}

import { compareDigits, type Digits } from '../../contract/digits.ts';
import type { TransitionRow } from '../../store/schema.ts';
import type { ServiceFile } from './service-file.ts';

/** More are not kept for a reader that is behind: it reads the store. */
const KEPT = 10_000;

/** A service as a commit of this process left it. */
interface LeftFile {
  readonly file: ServiceFile;
  /** The instant of the commit. */
  readonly at: number;
}

/**
 * The services whose claims were changed by commits of this process, each as its transition left it, until the feed of
 * their org has sent that: thousands that fall silent at once are not read again (S2). A feed that is behind finds the
 * earlier transitions of a service here too; computed from the ledger they would cost it most of its time, and leave it
 * further behind. A cache: what is not here is read.
 */
export class RecentFiles {
  readonly #orgs = new Map<string, Map<Digits, LeftFile>>();

  /** Keeps the services of an org from now on, until the returned function is called. */
  want(org: string): () => void {
    const files = new Map<Digits, LeftFile>();
    this.#orgs.set(org, files);
    return () => {
      if (this.#orgs.get(org) === files) this.#orgs.delete(org);
    };
  }

  keep(org: string, files: readonly ServiceFile[], at: number): void {
    const kept = this.#orgs.get(org);
    if (kept === undefined) return;
    // The oldest stay: the feed sends them next.
    for (const file of files)
      if (file.recorded !== null && kept.size < KEPT) kept.set(file.recorded.position, { file, at });
  }

  /**
   * The service as this transition left it; undefined if that is not kept. After a restore another transition may have
   * the position of one that was lost: it was recorded at another instant.
   */
  after(
    org: string,
    { service, position, recordedAt }: Pick<TransitionRow, 'service' | 'position' | 'recordedAt'>,
  ): LeftFile | undefined {
    const left = this.#orgs.get(org)?.get(position);
    return left?.file.service === service && left.at === recordedAt ? left : undefined;
  }

  /** Drops the services that transitions up to this position left. */
  forget(org: string, position: Digits): void {
    const kept = this.#orgs.get(org);
    if (kept === undefined) return;
    // Positions grow from commit to commit. What a restore has lost stays until the feed passes it, at most KEPT.
    for (const before of kept.keys()) {
      if (compareDigits(before, position) > 0) return;
      kept.delete(before);
    }
  }
}

import { compareDigits, type Digits } from '../../contract/digits.ts';
import type { LedgerEntry } from '../../evidence/ledger-entry.ts';
import type { NewestEvidence } from '../../evidence/read.ts';
import { isIntact } from '../../store/broken-row.ts';

interface PlacedEvidence extends NewestEvidence {
  readonly position: Digits;
}

/**
 * The newest evidence of each service that a feed has read, for the operators' claims of transitions that follow it:
 * thousands that fall silent at once need no read of it (S2). A cache: a service without evidence here is read.
 */
export class FedEvidence {
  readonly #newest = new Map<string, PlacedEvidence>();
  #recoveredAt: number | null | undefined = undefined;

  /** After a recovery the ledger may lack what was read before. */
  openAt(recoveredAt: number | null | undefined): void {
    if (this.#recoveredAt !== recoveredAt) this.#newest.clear();
    this.#recoveredAt = recoveredAt;
  }

  /** Takes in a stretch of the ledger; answers, by position, what was the newest at each transition of it. */
  readOn(entries: readonly LedgerEntry[]): ReadonlyMap<Digits, NewestEvidence> {
    const at = new Map<Digits, NewestEvidence>();
    for (const entry of entries) {
      if (entry.kind === 'alarm') continue;
      if (entry.kind === 'transition') {
        if (!isIntact(entry.row)) continue;
        const newest = this.#newest.get(entry.row.service);
        // A stretch that is read again, because the store failed meanwhile, begins before what was read since.
        if (newest !== undefined && compareDigits(newest.position, entry.position) < 0)
          at.set(entry.position, newest);
      } else if (!isIntact(entry.row)) {
        // Nobody knows of which service it is, or what it says.
        this.#newest.clear();
      } else if (entry.row.service !== null) {
        const { id, kind, receivedAt, service, position } = entry.row;
        this.#newest.set(service, { id, kind, receivedAt, position });
      }
    }
    return at;
  }
}

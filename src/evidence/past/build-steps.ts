import type { Evidence } from '../../contract/evidence.ts';
import { gt } from '../../store/port.ts';
import type { Host } from '../door/host.ts';
import { intactLedgerRow } from '../door/row-integrity.ts';
import type { AttemptEntry } from '../read.ts';

interface BuildStep {
  readonly step: number;
  readonly total: number | null;
  /** Operator text (docs/protocol.md 4): it passed redaction, and viewers do not get it. */
  readonly message: string;
}

/** Caps how many rows are read from the build's first on; later steps of a builder that submits more are left out. */
const ROWS = 200;

/** The steps that the builder submitted as progress, from the ledger. */
export async function buildSteps(host: Host, attempt: AttemptEntry): Promise<BuildStep[]> {
  const { org, service, buildingFrom } = attempt;
  if (buildingFrom === null) return [];
  const rows = await host.store.read((tx) =>
    tx.select('ledger', { org, service, position: gt(buildingFrom) }, { order: 'position', limit: ROWS }),
  );
  return rows.flatMap((stored) => {
    const row = intactLedgerRow(stored);
    const isOwn =
      row?.verdict === 'admitted' &&
      row.kind === 'build.progress' &&
      row.revision === attempt.revision &&
      row.attempt === attempt.attempt;
    if (!isOwn) return [];
    const { step, total, message } = (row as Evidence<'build.progress'>).body;
    return [{ step, total: total ?? null, message }];
  });
}

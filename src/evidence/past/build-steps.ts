import type { Evidence } from '../../contract/evidence.ts';
import { gt } from '../../store/port.ts';
import type { Host } from '../door/host.ts';
import { illegibleIn } from '../door/row-integrity.ts';
import type { AttemptEntry } from '../read.ts';

export interface BuildStep {
  readonly step: number;
  readonly total: number | null;
  /** Operator text (docs/protocol.md 4): it passed redaction, and no viewer is told. */
  readonly message: string;
}

/** So many rows from the build's first on are looked at: a builder that tells more of its steps is not told whole. */
const ROWS = 200;

/** What the builder said that it was doing, step by step, from the ledger. */
export async function buildSteps(host: Host, attempt: AttemptEntry): Promise<BuildStep[]> {
  const { org, service, buildingFrom } = attempt;
  if (buildingFrom === null) return [];
  const rows = await host.store.read((tx) =>
    tx.select('ledger', { org, service, position: gt(buildingFrom) }, { order: 'position', limit: ROWS }),
  );
  return rows.flatMap((row) => {
    const isOwn =
      row.verdict === 'admitted' &&
      row.kind === 'build.progress' &&
      illegibleIn(row) === null &&
      row.revision === attempt.revision &&
      row.attempt === attempt.attempt;
    if (!isOwn) return [];
    const { step, total, message } = (row as Evidence<'build.progress'>).body;
    return [{ step, total: total ?? null, message }];
  });
}

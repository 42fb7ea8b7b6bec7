import type { Evidence, Source } from '../../contract/evidence.ts';
import type { Kind } from '../../contract/vocabulary.ts';
import { fold } from '../../projection/fold.ts';
import type { Standing } from '../../projection/standing.ts';
import { readable } from '../../store/broken-row.ts';
import { applyConsequences } from './apply-consequences.ts';
import type { Draft } from './draft.ts';
import type { LedgerWriter } from './ledger-writer.ts';
import { loadIntent, type ServiceFile } from './service-file.ts';
import { expiredEvidence } from './transition-draft.ts';

/** Caps the steps of one settling, so that rules that contradict each other do not loop forever. */
const SETTLE_STEPS = 64;
const SWEEPER: Source = { role: 'sweeper', name: 'sweeper', instance: 'door' };

/**
 * Records every state that time alone caused since the service was last written, each at the instant its rule
 * fired.
 */
export async function recordPassedTime(ledger: LedgerWriter, file: ServiceFile): Promise<void> {
  const { steadyUntil = null } = readable(file.stored ?? undefined);
  // mutant: time-settled
  if (file.stored !== null && (steadyUntil === null || ledger.at < steadyUntil)) return;
  let cursor = file.settledTo;
  for (let step = 0; step < SETTLE_STEPS; step++) {
    const standing = file.standing(cursor);
    await recordOutcome(ledger, file, standing, cursor);
    const evidence = expiredEvidence(file, standing);
    await ledger.recordStanding(file, file.standing(cursor), cursor, 'clock', evidence);
    if (cursor === ledger.at) break;
    cursor = Math.min(ledger.at, standing.changesAt ?? ledger.at);
  }
  file.settledTo = ledger.at;
}

/**
 * Records an outcome that only a deadline caused: it must be in the ledger before anything else can happen
 * (S11).
 */
async function recordOutcome(
  ledger: LedgerWriter,
  file: ServiceFile,
  standing: Standing,
  at: number,
): Promise<void> {
  const attempt = file.active?.attempt;
  if (attempt === undefined || attempt.settled !== null || file.active === undefined) return;
  // mutant: deadline-outcome
  if (standing.outcome !== 'failed' && standing.outcome !== 'abandoned') return;
  await admitUnjudged(ledger, file, {
    kind: 'stage.timed_out',
    source: SWEEPER,
    revision: file.active.revision,
    attempt: attempt.attempt,
    body: {
      stage: standing.stage ?? 'readiness',
      outcome: standing.outcome,
      at,
      cause: standing.cause?.code ?? 'not_ready',
    },
  });
}

/** Admits evidence about a service into the ledger and the facts, with its consequences. Records no claim. */
export async function admitUnjudged<K extends Kind>(
  ledger: LedgerWriter,
  file: ServiceFile,
  draft: Draft<K>,
): Promise<Evidence<K>> {
  const evidence = await ledger.append(draft, file.service);
  if (file.unreadable) return evidence;
  file.sinceCheckpoint += 1;
  const before = file.proven;
  file.proven = fold(file.proven, evidence as Evidence);
  await loadIntent(ledger.tx, file);
  await applyConsequences(ledger, file, before, evidence as Evidence);
  return evidence;
}

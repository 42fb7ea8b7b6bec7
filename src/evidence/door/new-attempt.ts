import type { AttemptRow } from '../../store/schema.ts';

/** The row of an attempt that begins: in progress, without bytes. */
export function newAttempt(
  about: Pick<AttemptRow, 'org' | 'service' | 'revision' | 'attempt' | 'kind' | 'startedAt'>,
): AttemptRow {
  const { org, service, revision, attempt, kind, startedAt } = about;
  return {
    org,
    service,
    revision,
    attempt,
    kind,
    startedAt,
    outcome: 'in_progress',
    endedAt: null,
    artifact: null,
    port: null,
    command: null,
  };
}

/** The outcome of an attempt that was over as soon as it was requested: the ledger alone proved it. */
export const provenAtOnce = (at: number) => ({ outcome: 'succeeded', endedAt: at }) as const;

import type { Caller } from '../../access/caller.ts';
import type { Digits } from '../../contract/digits.ts';
import type { ObservationRule } from '../../contract/observation.ts';
import type { Report } from '../../contract/report.ts';
import type { ItemsByService, RejectedItem } from './items.ts';

/** A report that was parsed, with the agent's caller, its target and its items. */
export interface ReceivedReport {
  readonly caller: Caller;
  readonly target: string;
  readonly report: Report;
  readonly items: ItemsByService;
}

/** The answer to a report. */
export interface ReportResult {
  readonly seq: Digits;
  readonly now: number;
  /** Asks the agent for a full report. */
  readonly resync: boolean;
  readonly rejected: readonly RejectedItem[];
  /** The rule of the target, so that an agent learns of a change with its next call; null: there is none. */
  readonly observation: ObservationRule | null;
}

/** The agent's clock ahead of the server's; null if the report does not carry it. Nothing is decided by it (F63). */
export function skewOf({ at }: Report, now: number): number | null {
  const sent = at == null ? Number.NaN : Date.parse(at);
  return Number.isNaN(sent) ? null : sent - now;
}

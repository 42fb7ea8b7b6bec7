import { addDigits, compareDigits, maxDigits, ZERO } from '../contract/digits.ts';
import type { Evidence } from '../contract/evidence.ts';
import type { Host } from '../evidence/door/host.ts';
import { expiredEvidence } from '../evidence/door/transition-draft.ts';
import { fileOf } from '../evidence/past/past.ts';
import { citedEvidence } from '../projection/cited.ts';
import type { Proven } from '../projection/facts.ts';
import { activeOf } from '../projection/queue.ts';
import type { Standing } from '../projection/standing.ts';
import { pick } from '../store/broken-row.ts';
import { lt, type ReadTx } from '../store/port.ts';
import type { TransitionRow } from '../store/schema.ts';

/**
 * The context of a transition: the facts before it, and the service's own evidence and transition before it.
 */
interface TransitionContext {
  readonly tx: ReadTx;
  readonly settings: Host['settings'];
  readonly proven: Proven;
  readonly evidence: Evidence | null;
  readonly last: TransitionRow | null;
}

type TriggerColumns = Pick<TransitionRow, 'owner' | 'evidence'> & Partial<TransitionRow>;

/**
 * The owner and evidence of a transition, as the door writes them, and the time where it follows from them.
 * There are four triggers: the service's own evidence right before it, evidence about no service in the same
 * instant, a report that says nothing of the service, or time. The stored transition must name one of them.
 */
export async function triggerOf(row: TransitionRow, context: TransitionContext): Promise<TriggerColumns> {
  const own = ownTrigger(row, context.evidence);
  const near = [...own, ...clockTriggers(context.proven), ...reportTrigger(row, context.proven)];
  const found = near.find((b) => isNamed(row, b));
  if (found !== undefined) return found;
  const all = [...own, ...(await orgTriggers(row, context)), await expiredTrigger(row, context)];
  return (
    all.find((b) => isNamed(row, b)) ??
    all.find((b) => b.evidence === row.evidence) ??
    all.find((b) => b.owner === row.owner) ??
    (all[0] as TriggerColumns)
  );
}

const isNamed = (row: TransitionRow, { owner, evidence }: TriggerColumns) =>
  row.owner === owner && row.evidence === evidence;

function ownTrigger(row: TransitionRow, e: Evidence | null): TriggerColumns[] {
  if (e === null || isSettledByDoor(e)) return [];
  const { receivedAt: at, position } = e;
  const trigger = { owner: e.source.role, evidence: e.id, at, recordedAt: at };
  const isNext = row.position === addDigits(position, 1);
  return at === row.recordedAt || (isNext && isNamed(row, trigger)) ? [trigger] : [];
}

/** True of a deadline that the door recorded itself: time caused the transition after it. */
export function isSettledByDoor(e: Evidence): e is Evidence<'stage.timed_out'> {
  return e.kind === 'stage.timed_out' && e.source.instance === 'door';
}

const WITH_OBSERVATION: Pick<Standing, 'reading' | 'stage' | 'cause'> = {
  reading: null,
  stage: 'stop',
  cause: null,
};
const WITHOUT_OBSERVATION: typeof WITH_OBSERVATION = { ...WITH_OBSERVATION, stage: null };

/** The newest evidence that the facts cite, with and without the observations. */
function clockTriggers(proven: Proven): TriggerColumns[] {
  const active = activeOf(proven);
  if (active === undefined) return [];
  return [WITH_OBSERVATION, WITHOUT_OBSERVATION].map((standing) => ({
    owner: 'clock',
    evidence: citedEvidence(active, proven, standing as Standing).at(-1) ?? '',
  }));
}

function reportTrigger({ recordedAt }: TransitionRow, proven: Proven): TriggerColumns[] {
  return [{ owner: 'watcher', evidence: activeOf(proven)?.recorded?.id ?? '', at: recordedAt }];
}

async function expiredTrigger(row: TransitionRow, context: TransitionContext): Promise<TriggerColumns> {
  const { tx, settings, proven, last } = context;
  const { org, service, at } = row;
  const file = await fileOf(tx, settings, { org, service, at }, proven, last);
  return { owner: 'clock', evidence: expiredEvidence(file, file.standing(at)) };
}

/**
 * Caps how many rows are read back from a transition to the evidence about no service that caused it: the door writes
 * no more between them.
 */
const NEAR = 16;

/** Evidence about no service, between the service's own rows and the transition. */
async function orgTriggers(
  row: TransitionRow,
  { tx, evidence, last }: TransitionContext,
): Promise<TriggerColumns[]> {
  const { org, position } = row;
  const floor = maxDigits(evidence?.position ?? ZERO, last?.position ?? ZERO);
  const newest = { order: 'position', descending: true, limit: NEAR } as const;
  const triggers: TriggerColumns[] = [];
  for (const found of await tx.select('ledger', { org, position: lt(position) }, newest)) {
    const e = pick(found, 'id', 'service', 'source', 'receivedAt', 'position');
    if (e === undefined || e.service !== null || compareDigits(e.position, floor) < 0) continue;
    const { id, source, receivedAt } = e;
    const trigger = { owner: source.role, evidence: id, at: receivedAt, recordedAt: receivedAt };
    if (receivedAt === row.recordedAt || isNamed(row, trigger)) triggers.push(trigger);
  }
  return triggers;
}

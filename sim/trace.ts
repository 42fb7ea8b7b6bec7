import type { AnyLedgerRow, TransitionRow } from '../src/store/schema.ts';
import { CALM, type Rates } from './faults.ts';
import type { Violation } from './oracle-port.ts';
import { type Options, runSchedule } from './schedule.ts';
import type { Sim } from './sim.ts';

/** A schedule as it can be read: what happened, and what it did to the ledger and the claims. */
export async function traceOf(
  seed: number,
  steps: number,
  { without = [], real = null }: Pick<Options, 'without' | 'real'> = {},
): Promise<string[]> {
  const lines: string[] = [];
  const seen = { ledger: 0, transitions: 0 };
  let start: number | null = null;
  let pending: string | null = null;
  const flush = (sim: Sim) => {
    if (pending !== null) lines.push(pending);
    pending = null;
    const { ledger, transitions } = sim.store.tables;
    if (ledger.size > seen.ledger) {
      for (const row of [...ledger.values()].slice(seen.ledger))
        lines.push(`              ${evidenceLine(row)}`);
      seen.ledger = ledger.size;
    }
    if (transitions.size > seen.transitions) {
      for (const row of [...transitions.values()].slice(seen.transitions))
        lines.push(`              ${transitionLine(row)}`);
      seen.transitions = transitions.size;
    }
  };
  const result = await runSchedule(seed, {
    steps,
    without,
    real,
    onStep: (sim, label, process) => {
      flush(sim);
      start ??= sim.kernel.now;
      const at = ((sim.kernel.now - start) / 1000).toFixed(3).padStart(9);
      const who = process === null || label.includes(process.split(':').at(-1) ?? '') ? '' : ` (${process})`;
      pending = `${String(sim.kernel.steps).padStart(5)} ${at}s  ${label}${who}`;
    },
    onEnd: flush,
  });
  lines.push(result.violation === null ? 'no violation' : violationLine(seed, result.violation));
  return lines;
}

function evidenceLine(row: AnyLedgerRow): string {
  const about = [
    row.service ?? row.target ?? 'platform',
    row.revision && `r${row.revision}`,
    row.attempt && `a${row.attempt}`,
  ];
  const under = row.fence === null ? '' : ` fence ${row.fence}`;
  const verdict = row.verdict === 'admitted' ? '' : `  REJECTED ${row.reason}`;
  return `ledger ${row.position}  ${row.kind}  ${about.filter(Boolean).join(' ')}${under}  by ${row.source.role}${verdict}`;
}

function transitionLine({ service, from, to, owner, revision, attempt, stage }: TransitionRow): string {
  return `CLAIM  ${service} r${revision} a${attempt}  ${from ?? 'nothing'} -> ${to}${to === 'failed' ? ` (${stage})` : ''}  by ${owner}`;
}

export function violationLine(seed: number, { invariant, detail }: Violation): string {
  return `VIOLATION of ${invariant}, seed ${seed}: ${detail}`;
}

/**
 * A smaller schedule with the same violation: as few kinds of faults as it needs, stopped where it shows. The
 * seed stays; leaving a fault out shifts every later choice, so each try is a schedule of its own.
 */
export async function shrink(
  seed: number,
  steps: number,
  invariant: string,
  real: Options['real'] = null,
): Promise<readonly (keyof Rates)[]> {
  let without: readonly (keyof Rates)[] = [];
  for (const fault of Object.keys(CALM) as (keyof Rates)[]) {
    const fewer = [...without, fault];
    const { violation } = await runSchedule(seed, { steps, without: fewer, real });
    if (violation?.invariant === invariant) without = fewer;
  }
  return without;
}

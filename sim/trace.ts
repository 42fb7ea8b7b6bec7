import { CALM, type Rates } from './faults.ts';
import { type Options, runSchedule, type ScheduleEnding } from './schedule.ts';
import type { Sim } from './sim.ts';
import {
  alarmLine,
  EvidenceNames,
  endingLines,
  evidenceLine,
  LEGEND,
  specLine,
  struckLine,
  transitionLine,
  universeLines,
  violationLine,
  worldLine,
} from './trace-lines.ts';
import type { TruthMoment } from './world.ts';

const INDENT = ' '.repeat(14);

const ENDINGS: Readonly<Record<ScheduleEnding, string>> = {
  violation: 'at the violation',
  at_rest:
    'at rest: no command is open, no attempt is in progress, and no claim changed for three freshness windows',
  time_over: 'because the time to come to rest is over',
  steps_over: 'because the steps to come to rest are used up',
  nothing_left: 'because nothing is left to happen',
};

/** A schedule as it can be read: what happened, what it did to the ledger and the claims, and how each service ends. */
export async function traceOf(
  seed: number,
  steps: number,
  { without = [], real = null }: Pick<Options, 'without' | 'real'> = {},
): Promise<string[]> {
  const lines: string[] = [];
  const writer = new TraceWriter(lines);
  const result = await runSchedule(seed, {
    steps,
    without,
    real,
    onStart: (sim) => {
      lines.push(...universeLines(seed, steps, sim), ...LEGEND, '');
      sim.onFault = (fault) => writer.fault(fault);
    },
    onStep: (sim, label, process) => writer.step(sim, label, process),
    onCalm: (sim) => {
      writer.flush(sim);
      lines.push('----- faults stop here; everything must come to rest -----');
    },
    onEnd: async (sim, { claims, ending }) => {
      writer.flush(sim);
      lines.push('', `ended       ${ENDINGS[ending]}`, struckLine(sim.faults));
      for (const { org, claim } of await claims())
        lines.push(
          ...endingLines(claim, sim.world.now(claim.service), (id) => writer.evidence.withKind(org, id)),
        );
    },
  });
  lines.push(result.violation === null ? 'no violation' : violationLine(seed, result.violation));
  return lines;
}

/** Collects what one step did, and writes it below the step's own line when the next begins. */
class TraceWriter {
  readonly #lines: string[];
  readonly evidence = new EvidenceNames();
  readonly #written = { ledger: 0, revisions: 0, transitions: 0, alarms: 0 };
  readonly #truth = new Map<string, TruthMoment>();
  #start: number | null = null;
  #step: string | null = null;
  #faults: string[] = [];

  constructor(lines: string[]) {
    this.#lines = lines;
  }

  fault(fault: string): void {
    this.#faults.push(fault);
  }

  step(sim: Sim, label: string, process: string | null): void {
    this.flush(sim);
    this.#start ??= sim.kernel.now;
    const at = ((sim.kernel.now - this.#start) / 1000).toFixed(3).padStart(9);
    this.#step = `${String(sim.kernel.steps).padStart(5)} ${at}s  ${stepText(label, process, orgsOf(sim))}`;
  }

  flush(sim: Sim): void {
    if (this.#step !== null) this.#lines.push(this.#step);
    this.#step = null;
    for (const fault of this.#faults) this.#lines.push(`${INDENT}FAULT  ${fault}`);
    this.#faults = [];
    this.#truths(sim);
    const { ledger, revisions, transitions, alarms } = sim.store.tables;
    const { evidence } = this;
    const frame = { start: this.#start ?? sim.kernel.now, manyOrgs: orgsOf(sim).size > 1, evidence };
    const write = (line: string) => this.#lines.push(INDENT + line);
    for (const row of added(ledger, this.#written.ledger)) {
      evidence.add(row);
      write(evidenceLine(row, frame));
    }
    for (const row of added(revisions, this.#written.revisions)) write(specLine(row));
    for (const row of added(transitions, this.#written.transitions)) write(transitionLine(row, frame));
    for (const row of added(alarms, this.#written.alarms)) write(alarmLine(row, frame));
    this.#written.ledger = ledger.size;
    this.#written.revisions = revisions.size;
    this.#written.transitions = transitions.size;
    this.#written.alarms = alarms.size;
  }

  #truths({ world }: Sim): void {
    for (const service of world.services()) {
      const moment = world.now(service);
      if (this.#truth.get(service) === moment) continue;
      this.#truth.set(service, moment);
      this.#lines.push(INDENT + worldLine(service, moment));
    }
  }
}

const orgsOf = (sim: Sim): ReadonlySet<string> => new Set(sim.targets.map(({ org }) => org));

/**
 * The step's words, and in brackets the process that did it if they do not name it. With one org, its name is left out;
 * with two, everybody is named with theirs, because both have a `client-1`.
 */
function stepText(label: string, process: string | null, orgs: ReadonlySet<string>): string {
  const [, name = process ?? ''] = process?.split(':') ?? [];
  const full = process !== null && label.startsWith(name) ? process + label.slice(name.length) : label;
  const isNamed = process === null || full.includes(orgs.size > 1 ? process : name);
  const text = isNamed ? full : `${full} (${process})`;
  return orgs.size > 1 ? text : [...orgs].reduce((words, org) => words.replaceAll(`${org}:`, ''), text);
}

function added<Row>(rows: ReadonlyMap<string, Row>, since: number): Row[] {
  return rows.size > since ? [...rows.values()].slice(since) : [];
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

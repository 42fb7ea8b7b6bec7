import { isMainThread, parentPort, threadId, Worker, workerData } from 'node:worker_threads';
import { type FaultCounts, noFaults } from './faults.ts';
import { type Counter, noCounts } from './oracle/counters.ts';
import type { Violation } from './oracle-port.ts';
import { runSchedule } from './schedule.ts';
import { noTwinCounts, type TwinCounter, type TwinCounts } from './twin/counters.ts';
import { openReal } from './twin/open-real.ts';
import type { RealStore, StoreChoice } from './twin/real-store.ts';

interface Chosen {
  readonly seed: number;
  readonly steps: number;
}

export interface ScheduleBatch {
  readonly chosen: readonly Chosen[];
  readonly store: StoreChoice;
}

/** `count` seeds from the first on. */
export function inRow(first: number, count: number, steps: number): Chosen[] {
  return Array.from({ length: count }, (_, i) => ({ seed: first + i, steps }));
}

export interface Tally {
  schedules: number;
  steps: number;
  ms: number;
  faults: FaultCounts;
  counts: Record<Counter, number>;
  held: TwinCounts;
  violation: (Violation & Chosen) | null;
}

const REPORT_EVERY = 200;

function emptyTally(): Tally {
  const [faults, counts, held] = [noFaults(), noCounts(), noTwinCounts()];
  return { schedules: 0, steps: 0, ms: 0, faults, counts, held, violation: null };
}

function add(into: Tally, from: Tally): void {
  into.schedules += from.schedules;
  into.steps += from.steps;
  into.ms += from.ms;
  for (const [name, n] of Object.entries(from.faults)) into.faults[name as keyof FaultCounts] += n;
  for (const [name, n] of Object.entries(from.counts)) into.counts[name as Counter] += n;
  for (const [name, n] of Object.entries(from.held)) into.held[name as TwinCounter] += n;
  const { violation } = from;
  if (violation !== null && (into.violation === null || violation.seed < into.violation.seed))
    into.violation = violation;
}

/** Runs one after the other; stops at the first violation. */
async function* tallies(batch: ScheduleBatch): AsyncGenerator<Tally> {
  const real = await openReal(batch.store, threadId);
  try {
    yield* talliesOn(batch, real);
  } finally {
    await real?.close();
  }
}

async function* talliesOn({ chosen }: ScheduleBatch, real: RealStore | null): AsyncGenerator<Tally> {
  let tally = emptyTally();
  for (const { seed, steps } of chosen) {
    const began = performance.now();
    const result = await runSchedule(seed, { steps, real });
    tally.schedules++;
    tally.steps += result.steps;
    tally.ms += performance.now() - began;
    for (const [name, n] of Object.entries(result.faults)) tally.faults[name as keyof FaultCounts] += n;
    for (const [name, n] of Object.entries(result.counts)) tally.counts[name as Counter] += n;
    for (const [name, n] of Object.entries(result.held)) tally.held[name as TwinCounter] += n;
    if (result.violation !== null) {
      tally.violation = { ...result.violation, seed, steps };
      break;
    }
    if (tally.schedules === REPORT_EVERY) {
      yield tally;
      tally = emptyTally();
    }
  }
  yield tally;
}

/** Many schedules over several threads. The whole is the same whatever their number; only the time differs. */
export async function runBatch(
  batch: ScheduleBatch,
  jobs: number,
  progress: (sofar: Tally) => void,
): Promise<Tally> {
  const whole = emptyTally();
  if (jobs === 1) {
    for await (const tally of tallies(batch)) {
      add(whole, tally);
      progress(whole);
    }
    return whole;
  }
  const workers: Worker[] = [];
  const running = Array.from({ length: jobs }, (_, job) => {
    const mine: ScheduleBatch = { ...batch, chosen: batch.chosen.filter((_, i) => i % jobs === job) };
    return new Promise<void>((resolve, reject) => {
      const worker = new Worker(process.argv[1] ?? '', { workerData: mine, argv: [] });
      workers.push(worker);
      worker.on('message', (tally: Tally) => {
        add(whole, tally);
        progress(whole);
        if (whole.violation !== null) for (const other of workers) void other.terminate();
      });
      worker.on('error', reject);
      worker.on('exit', (code) => {
        // Schedules that a thread did not reach are unchecked: only a violation may end one early.
        if (code === 0 || whole.violation !== null) resolve();
        else
          reject(
            new Error(
              `thread ${job + 1} of ${jobs} ended early, with code ${code}: its schedules are unchecked`,
            ),
          );
      });
    });
  });
  await Promise.all(running);
  return whole;
}

/** In a thread of `runBatch`: do the share and say so. True if this is such a thread. */
export async function workInThread(): Promise<boolean> {
  if (isMainThread) return false;
  for await (const tally of tallies(workerData as ScheduleBatch)) parentPort?.postMessage(tally);
  return true;
}

/** Every fault that a schedule can meet, with the number of the fault list where it has one. */
export const FAULTS = [
  'request lost',
  'request duplicated',
  'request delayed',
  'answer lost',
  'crash before a statement',
  'crash before the commit',
  'crash after the commit',
  'commit of unknown outcome, done',
  'commit of unknown outcome, not done',
  'interleaved statement',
  'transaction shared',
  'server paused',
  'all servers down',
  'worker crashed',
  'worker paused beyond its lease',
  'agent crashed',
  'agent frozen between seeing and sending',
  'agent silent',
  'watch stalled',
  'one scope silent',
  'second agent for the target',
  'cluster replaced',
  'partial snapshot',
  'broken base',
  'built on a refused base',
  'base of an earlier epoch',
  'unreadable item',
  'agent cannot read',
  'evidence forged',
  'evidence replayed',
  'evidence malformed',
  'evidence under another role',
  'evidence of another org',
  'evidence of the wrong kind',
  'same id, another body',
  'report forged',
  'report replayed',
  'late completion',
  'effect without a record',
  'partial effect',
  'apply failed',
  'build failed',
  'lease released',
  'offer not taken up',
  'cancel during work',
  'superseded during work',
  'teardown during work',
  'scale during work',
  'queue behind another',
  'refused by policy',
  'request repeated with its key',
  'request repeated after its answer',
  'key reused for another request',
  'publish failed',
  'two sweepers at once',
  'instance crashed',
  'instance never ready',
  'instance vanished',
  'stray instance',
  'stray of what was never told',
  'stray of what was never handed out',
  'wrong digest',
  'container beside it not ready',
  'generation behind',
  'deployed by another tool',
  'route stuck',
  'unknown reason',
  'node lost',
  'store clock stepped forward',
  'store clock stepped back',
  'wall clock wrong',
] as const;
export type Fault = (typeof FAULTS)[number];

export type FaultCounts = Record<Fault, number>;

export function noFaults(): FaultCounts {
  return Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as FaultCounts;
}

/** The rate of each kind of fault, per occasion. All zero once faults have stopped. */
export interface Rates {
  readonly lose: number;
  readonly duplicate: number;
  readonly delay: number;
  readonly crash: number;
  readonly unknownCommit: number;
  readonly interleave: number;
  readonly pause: number;
  readonly outage: number;
  readonly actorCrash: number;
  readonly actorPause: number;
  readonly observe: number;
  readonly hostile: number;
  readonly nature: number;
  readonly failure: number;
  readonly clock: number;
}

export const CALM: Rates = {
  lose: 0,
  duplicate: 0,
  delay: 0,
  crash: 0,
  unknownCommit: 0,
  interleave: 0,
  pause: 0,
  outage: 0,
  actorCrash: 0,
  actorPause: 0,
  observe: 0,
  hostile: 0,
  nature: 0,
  failure: 0,
  clock: 0,
};

const HARSH: Rates = {
  lose: 0.06,
  duplicate: 0.06,
  delay: 0.1,
  crash: 0.0015,
  unknownCommit: 0.02,
  interleave: 0.03,
  pause: 0.0008,
  outage: 0.006,
  actorCrash: 0.03,
  actorPause: 0.05,
  observe: 0.08,
  hostile: 0.5,
  nature: 0.2,
  failure: 0.08,
  clock: 0.004,
};

/** A mix for one schedule: some faults off, some mild, some harsh, so that rare pairs meet. */
export function ratesFor(next: () => number): Rates {
  const rates = {} as Record<keyof Rates, number>;
  for (const name of Object.keys(HARSH) as (keyof Rates)[]) {
    const roll = next();
    rates[name] = HARSH[name] * (roll < 0.3 ? 0 : roll < 0.6 ? 0.3 : roll < 0.9 ? 1 : 2.5);
  }
  return rates;
}

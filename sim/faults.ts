/** Every fault that a schedule can meet, with its numbers in docs/faults.md where that page has it. */
export const FAULTS = [
  'request lost', // F25
  'request duplicated', // F17, F18
  'request delayed', // F20
  'answer lost', // F04, F11
  'crash before a statement', // F02, F12, F13
  'crash before the commit', // F02, F05, F13
  'crash after the commit', // F04, F06
  'commit of unknown outcome, done', // F03, F11
  'commit of unknown outcome, not done', // F03, F11
  'interleaved statement', // F31, F47
  'transaction shared',
  'server paused', // F31
  'all servers down', // F39
  'worker crashed', // F07
  'worker paused beyond its lease', // F30
  'agent crashed', // F64
  'agent frozen between seeing and sending',
  'agent silent', // F25
  'watch stalled', // F66
  'one scope silent', // F25
  'second agent for the target', // F65
  'cluster replaced', // F61, F114
  'former place retired', // F114
  'partial snapshot', // F58
  'broken base',
  'built on a refused base',
  'base of an earlier epoch',
  'unreadable item', // F29
  'agent cannot read', // F77
  'evidence forged', // F23, F24: one too many or too few of revision, attempt or fence
  'evidence replayed', // F18, F112
  'evidence malformed',
  'evidence under another role', // F111
  'evidence of another org',
  'evidence of the wrong kind',
  'same id, another body', // F19
  'report forged',
  'report replayed', // F112
  'late completion', // F23
  'effect without a record', // F10
  'removed without a container', // F117
  'partial effect', // F09
  'apply failed',
  'build failed',
  'lease released',
  'offer not taken up',
  'cancel during work',
  'superseded during work', // F21
  'teardown during work',
  'scale during work',
  'queue behind another',
  'refused by policy',
  'request repeated with its key',
  'request repeated after its answer', // F04
  'key reused for another request',
  'publish failed',
  'two sweepers at once', // F36
  'instance crashed', // F74
  'app dies in a rhythm', // F113
  'one copy dies in a rhythm', // F113
  'instance replaced under its name', // F113
  'instance never ready',
  'instance hangs', // F115
  'instance not ready, without a reason',
  'instance vanished',
  'stray instance',
  'stray of what was never told', // F24
  'stray of what was never handed out', // F24
  'wrong digest', // F71
  'container beside it not ready', // F75
  'generation behind', // F70
  'deployed by another tool', // F76
  'two digests under one tag', // F71
  'counts contradict copies',
  'rule of a target changed', // F76
  'workload created', // F76
  'workload removed elsewhere', // F76
  'workload with other labels', // F76
  'route stuck',
  'unknown reason', // F81
  'node lost', // F73
  'store clock stepped forward', // F35
  'store clock stepped back', // F35
  'wall clock wrong', // F34
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

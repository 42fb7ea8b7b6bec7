import type { ComparedClaim, Falsity } from './compare.ts';

/** One row of the table: a fault, or a nasty app. Seconds are of services: two that are false for a second are two. */
export interface TallyRow {
  readonly name: string;
  times: number;
  falseGreenMs: number;
  falseRedMs: number;
  falseStoppedMs: number;
  unknownMs: number;
  /** Claims that seemed false while we ourselves did not get to look. */
  starvedMs: number;
  /** Acknowledged actions of that time that are not in the ledger. */
  lost: number;
}

/** The first sample of each falsehood, for whoever looks into it. */
export interface Falsehood {
  readonly atMs: number;
  readonly row: string;
  readonly kind: Falsity;
  readonly service: string;
  readonly via: string;
  readonly words: string;
}

const CALM = 'no fault yet';
const MS = {
  false_green: 'falseGreenMs',
  false_red: 'falseRedMs',
  false_stopped: 'falseStoppedMs',
  starved: 'starvedMs',
} as const;
const EXAMPLES = 40;

/** Counts what was done and what was false meanwhile. */
export class SoakTally {
  readonly #rows = new Map<string, TallyRow>();
  readonly falsehoods: Falsehood[] = [];
  /** Whatever did not hold and is no claim. */
  readonly complaints: string[] = [];
  /** The claims that were held against the truth, those of the beginning, and those for which we came too late. */
  samples = 0;
  unjudged = 0;
  starved = 0;
  #current: readonly string[] = [CALM];

  readonly #onFalsehood: (falsehood: Falsehood) => void;

  /** @param onFalsehood called with the first sample of each */
  constructor(onFalsehood: (falsehood: Falsehood) => void = () => {}) {
    this.#onFalsehood = onFalsehood;
  }

  get rows(): readonly TallyRow[] {
    return [...this.#rows.values()];
  }

  /** The faults of the moment. */
  get current(): readonly string[] {
    return this.#current;
  }

  /** From now on, until the next, what is false is put down to these. */
  begin(faults: readonly string[]): void {
    this.#current = faults;
    for (const fault of faults) this.count(fault);
  }

  count(name: string, times = 1): void {
    this.#row(name).times += times;
  }

  countLost(names: readonly string[]): void {
    for (const name of names) this.#row(name).lost++;
  }

  complain(fault: string, words: string): void {
    if (this.complaints.length < EXAMPLES) this.complaints.push(`${fault}: ${words}`);
  }

  add(names: readonly string[], ms: number, what: ReadonlySet<ComparedClaim>, isUnknown: boolean): void {
    for (const name of names) {
      const row = this.#row(name);
      for (const kind of ['false_green', 'false_red', 'false_stopped', 'starved'] as const)
        if (what.has(kind)) row[MS[kind]] += ms;
      if (isUnknown) row.unknownMs += ms;
    }
  }

  tell(falsehood: Omit<Falsehood, 'row'>, names: readonly string[]): void {
    const row = names.join(' + ');
    const isTold = this.falsehoods.some(
      (f) =>
        f.row === row &&
        f.kind === falsehood.kind &&
        f.service === falsehood.service &&
        f.via === falsehood.via,
    );
    if (isTold || this.falsehoods.length >= EXAMPLES) return;
    this.falsehoods.push({ ...falsehood, row });
    this.#onFalsehood({ ...falsehood, row });
  }

  #row(name: string): TallyRow {
    const row = this.#rows.get(name) ?? {
      ...{ name, times: 0, falseGreenMs: 0, falseRedMs: 0, falseStoppedMs: 0 },
      ...{ unknownMs: 0, starvedMs: 0, lost: 0 },
    };
    this.#rows.set(name, row);
    return row;
  }
}

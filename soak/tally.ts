import type { ComparedClaim } from './compare.ts';

/** One row of the table: a fault, or a nasty app. Seconds are of services: two that are false for a second are two. */
export interface TallyRow {
  readonly name: string;
  times: number;
  falseGreenMs: number;
  falseRedMs: number;
  falseStoppedMs: number;
  unknownMs: number;
}

/** The first sample of each falsehood, for whoever looks into it. */
export interface Falsehood {
  readonly atMs: number;
  readonly row: string;
  readonly kind: ComparedClaim;
  readonly service: string;
  readonly via: string;
  readonly words: string;
}

const CALM = 'no fault yet';
const MS = { false_green: 'falseGreenMs', false_red: 'falseRedMs', false_stopped: 'falseStoppedMs' } as const;
const EXAMPLES = 40;

/** Counts what was done and what was false meanwhile. */
export class SoakTally {
  readonly #rows = new Map<string, TallyRow>();
  readonly falsehoods: Falsehood[] = [];
  /** The claims that were held against the truth, and those that could not be. */
  samples = 0;
  unjudged = 0;
  #current: readonly string[] = [CALM];

  get rows(): readonly TallyRow[] {
    return [...this.#rows.values()];
  }

  /** From now on, until the next, what is false is put down to these. */
  begin(faults: readonly string[]): void {
    this.#current = faults;
    for (const fault of faults) this.count(fault);
  }

  count(name: string, times = 1): void {
    this.#row(name).times += times;
  }

  /** @param own the row of a nasty app */
  add(own: string | null, ms: number, what: ReadonlySet<ComparedClaim>, isUnknown: boolean): void {
    for (const name of own === null ? this.#current : [own]) {
      const row = this.#row(name);
      for (const kind of ['false_green', 'false_red', 'false_stopped'] as const)
        if (what.has(kind)) row[MS[kind]] += ms;
      if (isUnknown) row.unknownMs += ms;
    }
  }

  tell(falsehood: Omit<Falsehood, 'row'>, own: string | null): void {
    const row = own ?? this.#current.join(' + ');
    const isTold = this.falsehoods.some(
      (f) =>
        f.row === row &&
        f.kind === falsehood.kind &&
        f.service === falsehood.service &&
        f.via === falsehood.via,
    );
    if (!isTold && this.falsehoods.length < EXAMPLES) this.falsehoods.push({ ...falsehood, row });
  }

  #row(name: string): TallyRow {
    const row = this.#rows.get(name) ?? {
      ...{ name, times: 0, falseGreenMs: 0, falseRedMs: 0, falseStoppedMs: 0, unknownMs: 0 },
    };
    this.#rows.set(name, row);
    return row;
  }
}

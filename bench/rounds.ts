/** The results of each side, round by round. */
export class Rounds<Side extends string> {
  readonly #values: Readonly<Record<Side, readonly number[]>>;

  constructor(values: Readonly<Record<Side, readonly number[]>>) {
    this.#values = values;
  }

  median(side: Side): number {
    return quantile(this.#values[side], 0.5);
  }

  /** The median of the ratios and not the ratio of the medians: noise that lasts a round strikes both sides of it. */
  ratio(side: Side, beside: Side): number {
    const others = this.#values[beside];
    return quantile(
      this.#values[side].map((value, i) => value / (others[i] ?? Number.NaN)),
      0.5,
    );
  }
}

/** Caps the rounds and their time. */
export interface Effort {
  readonly rounds: number;
  readonly budgetMs: number;
  /** The least time that each side warms up. */
  readonly warmMs?: number;
}

/** A server that runs for days is compiled: thousands of lines take seconds to warm up. */
export const LONG_WARM_MS = 2_000;

/**
 * Runs the sides in turn, A B A B, after each has warmed up, for one turn at least. Many short rounds are better than few
 * long ones where others use the machine too. Two rounds are run even if the first has used up the time.
 */
export async function interleaved<Side extends string>(
  { rounds, budgetMs, warmMs = 0 }: Effort,
  sides: Readonly<Record<Side, () => Promise<number>>>,
): Promise<Rounds<Side>> {
  const names = Object.keys(sides) as Side[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Side, number[]>;
  for (const name of names) {
    const warm = performance.now() + warmMs;
    do await sides[name]();
    while (performance.now() < warm);
  }
  const until = performance.now() + budgetMs;
  for (let round = 0; round < rounds; round++) {
    if (round >= 2 && performance.now() > until) break;
    for (const name of names) values[name].push(await sides[name]());
  }
  return new Rounds(values);
}

/** Units per second of `callers` that each take turn after turn for a while. */
export async function rateOf(
  forMs: number,
  callers: number,
  turn: (caller: number) => Promise<number>,
): Promise<number> {
  const began = performance.now();
  let done = 0;
  const call = async (caller: number) => {
    do {
      // Rejected: `done += await`. It adds to the value of `done` from before the other callers' turns.
      const units = await turn(caller);
      done += units;
    } while (performance.now() - began < forMs);
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return done / ((performance.now() - began) / 1000);
}

/** Milliseconds of one call, from as many as fit into a while; at least one. */
export async function costOf(forMs: number, call: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  let calls = 0;
  do {
    await call();
    calls++;
  } while (performance.now() - began < forMs);
  return (performance.now() - began) / calls;
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

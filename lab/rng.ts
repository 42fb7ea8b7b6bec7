/** A seeded generator (sfc32): every choice of a schedule comes from it, so a seed is a schedule. */
export class Rng {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = (seed / 4294967296) | 0;
    this.#c = 0x9e3779b9 | 0;
    for (let i = 0; i < 12; i++) this.next();
  }

  /** In [0, 1). */
  next(): number {
    const t = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t;
    return (t >>> 0) / 4294967296;
  }

  chance(p: number): boolean {
    return p > 0 && this.next() < p;
  }

  /** A whole number in [from, to]. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(list: readonly T[]): T {
    const found = list[Math.floor(this.next() * list.length)];
    if (found === undefined) throw new Error('pick from an empty list');
    return found;
  }

  /** One of the names, by weight. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
    const names = Object.keys(weights) as T[];
    let total = 0;
    for (const name of names) total += weights[name];
    let at = this.next() * total;
    for (const name of names) {
      at -= weights[name];
      if (at < 0) return name;
    }
    return names[names.length - 1] as T;
  }
}

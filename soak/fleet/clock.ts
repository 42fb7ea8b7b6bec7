import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Steps the wall clock of a program without touching the machine's. The program loads this before itself; it reads
 * how far it is off from a file. What it measures by its steady clock goes on as before, as after a real step.
 */
const script = (file: string) => `
import { readFileSync } from 'node:fs';
const Real = Date;
let offset = 0;
globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + offset);
    else super(...given);
  }
  static now() {
    return Real.now() + offset;
  }
};
setInterval(() => {
  try {
    offset = Number(readFileSync(${JSON.stringify(file)}, 'utf8'));
  } catch {}
}, 100).unref();
`;

export class SteppedClock {
  readonly #file: string;
  readonly env: Readonly<Record<string, string>>;
  #offsetMs = 0;

  constructor(dir: string, name: string) {
    this.#file = join(dir, `${name}.offset`);
    const hook = join(dir, `${name}-clock.mjs`);
    writeFileSync(this.#file, '0');
    writeFileSync(hook, script(this.#file));
    this.env = { NODE_OPTIONS: `--import file://${hook}` };
  }

  step(ms: number): void {
    this.#offsetMs += ms;
    writeFileSync(this.#file, String(this.#offsetMs));
  }
}

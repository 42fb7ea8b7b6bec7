import { setTimeout as wait } from 'node:timers/promises';
import { Program } from '../../lab/program.ts';

/** A program that ended though nobody had signalled it. */
export interface OwnEnd {
  readonly part: string;
  readonly words: string;
}

const RESTART_MS = 1_000;
const ENDING_MS = 10_000;

/** One program of the fleet, started again whenever it ends, as a supervisor of a real machine does. */
export class FleetPart {
  readonly name: string;
  readonly #args: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #onOwnEnd: (end: OwnEnd) => void;
  #program: Program | null = null;
  #words = '';
  /** It is to stay down for so long after its next end; null: nobody has signalled it. */
  #downMs: number | null = null;
  /** It may end by itself: another has taken its place. */
  #isEndExpected = false;
  #isOver = false;
  #loop: Promise<void> = Promise.resolve();
  #isReady = false;

  private constructor(
    name: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    onOwnEnd: (end: OwnEnd) => void,
  ) {
    this.name = name;
    this.#args = args;
    this.#env = env;
    this.#onOwnEnd = onOwnEnd;
  }

  /** Resolves when it is ready for the first time. */
  static async start(
    name: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    onOwnEnd: (end: OwnEnd) => void,
  ): Promise<FleetPart> {
    const part = new FleetPart(name, args, env, onOwnEnd);
    const ready = part.#begin().line(/"event":"ready"/);
    part.#loop = part.#keepUp();
    try {
      await ready;
    } catch (error) {
      await part.close();
      throw new Error(`${name} did not start: ${part.#words}`, { cause: error });
    }
    return part;
  }

  /** Once said by the program that runs now. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Null: it is down. */
  get pid(): number | null {
    return this.#program?.pid ?? null;
  }

  expectEnd(isExpected: boolean): void {
    this.#isEndExpected = isExpected;
  }

  kill(downMs: number): void {
    this.#downMs = downMs;
    this.#program?.signal('SIGKILL');
  }

  freeze(): void {
    this.#program?.signal('SIGSTOP');
  }

  thaw(): void {
    this.#program?.signal('SIGCONT');
  }

  async close(): Promise<void> {
    this.#isOver = true;
    const program = this.#program;
    if (program !== null) {
      const late = setTimeout(() => program.signal('SIGKILL'), ENDING_MS);
      await program.end();
      clearTimeout(late);
    }
    await this.#loop;
  }

  /** Without waiting, when this process itself must end at once. */
  killNow(): void {
    this.#isOver = true;
    this.#program?.signal('SIGKILL');
  }

  #begin(): Program {
    this.#words = '';
    this.#isReady = false;
    const program = Program.start([...this.#args, '-o', 'json'], this.#env, {
      isApart: true,
      onFailure: (words) => {
        this.#words = words;
      },
    });
    this.#program = program;
    // It may end before it is ready; the loop sees that.
    program.line(/"event":"ready"/).then(
      () => {
        this.#isReady = true;
      },
      () => {},
    );
    return program;
  }

  async #keepUp(): Promise<void> {
    for (;;) {
      await this.#program?.ended;
      this.#isReady = false;
      if (this.#isOver) return;
      const downMs = this.#downMs;
      this.#downMs = null;
      if (downMs === null && !this.#isEndExpected) this.#onOwnEnd({ part: this.name, words: this.#words });
      await wait(downMs ?? RESTART_MS);
      if (this.#isOver) return;
      this.#begin();
    }
  }
}

import { POINTS, type Point } from './kill-points.ts';
import { STEPS, type Step } from './steps.ts';

/** The part of the step that a restart finds: nothing or all of it. */
export type Found = 'nothing' | 'done';

/** The part of the step that a restart must find. Either is right only where COMMIT was sent and not answered (F03). */
export const EXPECTED: Readonly<Record<Point, Found | 'either'>> = {
  before: 'nothing',
  between: 'nothing',
  unsent: 'nothing',
  sent: 'either',
  committed: 'done',
  answered: 'done',
};

/** The points tried on each database. SQLite's COMMIT cannot be sent without waiting for it, so `sent` is not tried there. */
export const POINTS_OF: Readonly<Record<'sqlite' | 'postgres', readonly Point[]>> = {
  sqlite: ['before', 'between', 'unsent', 'committed', 'answered'],
  postgres: ['before', 'between', 'unsent', 'sent', 'answered'],
};

/** Collects what a restart finds after each kill, and prints it as a table. */
export class Results {
  readonly #database: 'sqlite' | 'postgres';
  readonly #found = new Map<string, Found>();

  constructor(database: 'sqlite' | 'postgres') {
    this.#database = database;
  }

  /** Kills at all points of a step at once, each in a process and a store of its own. */
  async collect(step: Step, killAt: (point: Point) => Promise<Found>): Promise<void> {
    const points = POINTS_OF[this.#database];
    const ended = await Promise.allSettled(points.map(killAt));
    for (const [i, end] of ended.entries()) {
      const point = points[i] as Point;
      if (end.status === 'rejected') throw new Error(`killed ${POINTS[point]}`, { cause: end.reason });
      this.#found.set(`${step.name}|${point}`, end.value);
    }
  }

  print(): void {
    const points = POINTS_OF[this.#database];
    const line = (name: string, cells: readonly string[]) =>
      name.padEnd(34) + cells.map((c) => c.padEnd(10)).join('');
    const taken = STEPS.filter(({ name }) =>
      [...this.#found.keys()].some((key) => key.startsWith(`${name}|`)),
    );
    const rows = taken.map(({ name }) =>
      line(
        name,
        points.map((p) => this.#found.get(`${name}|${p}`) ?? '-'),
      ),
    );
    console.log([`what a restart found on ${this.#database}`, line('', points), ...rows].join('\n'));
  }
}

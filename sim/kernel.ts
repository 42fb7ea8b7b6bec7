import type { Rng } from '../lab/rng.ts';

/** A process was killed while it worked: whatever it had not committed is gone. */
export class Crashed extends Error {
  override readonly name = 'Crashed';
}

const NOTHING_LEFT: Promise<false> = Promise.resolve(false);

/** An actor's process. Events for a paused process wait; a crash loses them, and a new incarnation starts. */
export interface Process {
  readonly name: string;
  incarnation: number;
  pausedUntil: number;
  alive: boolean;
}

/** The work of an event. `'resumed'` says: a task that was parked goes on, and gives the turn back by itself. */
type Run = () => undefined | 'resumed' | Promise<void>;

interface Event {
  readonly at: number;
  readonly order: number;
  readonly label: string;
  readonly process: Process | null;
  readonly incarnation: number;
  readonly run: Run;
  cancelled: boolean;
}

/** One piece of work of a process. `onCommit` lets the simulator know what became durable, even if no caller got an answer. */
export interface Task {
  readonly process: Process | null;
  onCommit: (() => void) | null;
}

/** A task that sleeps, and how it learns that its process has died. */
interface Parked {
  readonly task: Task;
  readonly fail: (error: Error) => void;
}

/**
 * Virtual time and the turn of each process. One task runs at a time until it finishes or parks at a seam; the
 * kernel then takes the next event. Nothing here waits for real time, so a seed always gives the same schedule.
 */
export class Kernel {
  now: number;
  steps = 0;
  readonly rng: Rng;
  /** An error that no actor expected: a bug in the code under test or in the simulator. */
  failure: unknown = null;
  /** Called before each event with what is about to happen. */
  onStep: ((label: string, process: Process | null) => void) | null = null;
  readonly #events: Event[] = [];
  readonly #parked = new Set<Parked>();
  #order = 0;
  #active: Task | null = null;
  #giveBack: ((goesOn: true) => void) | null = null;

  constructor(rng: Rng, start: number) {
    this.rng = rng;
    this.now = start;
  }

  /** The process whose task has the turn. */
  get current(): Process | null {
    return this.#active?.process ?? null;
  }

  get task(): Task | null {
    return this.#active;
  }

  /** Something that will happen to a process, unless it has crashed by then. */
  after(ms: number, process: Process | null, label: string, run: Run): Event {
    const at = this.now + Math.max(0, Math.round(ms));
    const incarnation = process?.incarnation ?? 0;
    const event = { at, order: this.#order++, label, process, incarnation, run, cancelled: false };
    this.#push(event);
    return event;
  }

  get nextAt(): number {
    return this.#events[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Runs the next event to its end, or to where it parks. False when nothing is left. */
  step(): Promise<boolean> {
    for (;;) {
      const event = this.#pop();
      if (event === undefined) return NOTHING_LEFT;
      this.now = Math.max(this.now, event.at);
      const { process } = event;
      if (event.cancelled) continue;
      if (process !== null && (process.incarnation !== event.incarnation || !process.alive)) continue;
      if (process !== null && process.pausedUntil > this.now) {
        this.#push({ ...event, at: process.pausedUntil });
        continue;
      }
      this.steps++;
      this.onStep?.(event.label, process);
      return this.#turn(process, event.run);
    }
  }

  /** Lets the current task wait for `ms` of virtual time while others have their turn. */
  park(ms: number, label: string): Promise<void> {
    const process = this.current;
    const { promise, resume } = this.sleep();
    this.after(ms, process, label, resume);
    return promise;
  }

  /** Parks the current task. `resume` is for an event: it gives the task its next turn. */
  sleep(): { readonly promise: Promise<void>; readonly resume: Run; readonly wake: () => void } {
    const task = this.#active ?? { process: null, onCommit: null };
    let go: () => void = () => {};
    let fail: (error: Error) => void = () => {};
    const promise = new Promise<void>((resolve, reject) => {
      go = resolve;
      fail = reject;
    });
    const parked: Parked = { task, fail };
    this.#parked.add(parked);
    const resume: Run = () => {
      // Woken already, by an answer or by giving up: a second waking is nobody's turn.
      if (!this.#parked.delete(parked)) return undefined;
      this.#active = task;
      go();
      return 'resumed';
    };
    const wake = () => this.after(0, task.process, 'goes on', resume);
    this.#active = null;
    this.#yield();
    return { promise, resume, wake };
  }

  /** The process dies: its parked tasks unwind, and nothing that waited for it happens any more. */
  crash(process: Process): void {
    process.incarnation++;
    for (const parked of this.#parked) {
      if (parked.task.process !== process) continue;
      this.#parked.delete(parked);
      parked.fail(new Crashed());
    }
  }

  #turn(process: Process | null, run: Run): Promise<true> {
    return new Promise((giveBack) => {
      const task: Task = { process, onCommit: null };
      this.#active = task;
      this.#giveBack = giveBack;
      const work = run();
      if (work === 'resumed') return;
      if (work === undefined) return this.#over(task);
      work.then(
        () => this.#over(task),
        (error: unknown) => {
          if (!(error instanceof Crashed)) this.failure ??= error;
          this.#over(task);
        },
      );
    });
  }

  /** Only the task that has the turn can give it back: one that died in the meantime ends unnoticed. */
  #over(task: Task): void {
    if (this.#active !== task) return;
    this.#active = null;
    this.#yield();
  }

  #yield(): void {
    const giveBack = this.#giveBack;
    this.#giveBack = null;
    giveBack?.(true);
  }

  #push(event: Event): void {
    const heap = this.#events;
    let i = heap.push(event) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (!sooner(event, heap[up] as Event)) break;
      heap[i] = heap[up] as Event;
      i = up;
    }
    heap[i] = event;
  }

  #pop(): Event | undefined {
    const heap = this.#events;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let down = 2 * i + 1;
      if (down >= heap.length) break;
      if (down + 1 < heap.length && sooner(heap[down + 1] as Event, heap[down] as Event)) down++;
      if (!sooner(heap[down] as Event, last)) break;
      heap[i] = heap[down] as Event;
      i = down;
    }
    heap[i] = last;
    return first;
  }
}

function sooner(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

import { isLeaving } from './doubtful.ts';
import type { ReportedInstance } from './report-items.ts';

const TEN_MINUTES = 600_000;
const KEPT = 16;

/** An instance as the reports so far show it. */
export interface ShownInstance extends ReportedInstance {
  /** `asOf` of the first report that showed it so. */
  readonly since: number;
  /** `asOf` of the last report that covers it. */
  readonly lastSeen: number;
}

/** The part of an intent that the exits of a service depend on. */
export interface AskedFor {
  readonly freshForMs: number;
  /** Null if nothing was asked. */
  stabilityMs(service: string): number | null;
  /** When an attempt was applied; null if it was not, or is not the active one. */
  appliedAt(service: string, revision: number, attempt: number): number | null;
}

export const NOTHING_ASKED: AskedFor = { freshForMs: 0, stabilityMs: () => null, appliedAt: () => null };

/** The exits under one name, or of one instance, in one attempt. */
export interface ExitNote extends Pick<ReportedInstance, 'name' | 'revision' | 'attempt' | 'template'> {
  readonly uid: string;
  readonly at: readonly number[];
  /** It was last seen exited, and is gone. */
  readonly ended: boolean;
  /** It has held its window since the last exit. */
  readonly outlived: boolean;
  /** It was seen in a place that another has followed; whoever has its name here is another (F61, F114). */
  readonly elsewhere: boolean;
}

/** An instance as a former place showed it last. */
export type LeftBehind = Pick<ReportedInstance, 'revision' | 'attempt' | 'template' | 'restarts'> & {
  readonly former: string;
  /** `asOf` of the last report that stood behind it, whether or not it changed anything. */
  readonly lastSeen: number;
};

type Known = Pick<ReportedInstance, 'uid' | 'name' | 'revision' | 'attempt' | 'template'>;

/** Exits by the words of the model: growth of `restarts` between two reports, or a replacement under the same name. */
export class ExitNotes {
  readonly #notes = new Map<string, readonly ExitNote[]>();

  of(service: string): readonly ExitNote[] {
    return this.#notes.get(service) ?? [];
  }

  /** Another place reports from now on. */
  leave(): void {
    for (const [service, notes] of this.#notes)
      this.#notes.set(
        service,
        notes.map((note) => ({ ...note, elsewhere: true })),
      );
  }

  note(
    service: string,
    before: readonly ShownInstance[],
    now: readonly ShownInstance[],
    left: ReadonlyMap<string, LeftBehind>,
    asked: AskedFor,
  ): void {
    const was = new Map(before.map((i) => [i.uid, i]));
    const is = new Set(now.map((i) => i.uid));
    let notes = this.of(service).map((note) => (is.has(note.uid) ? { ...note, elsewhere: false } : note));
    const put = (i: Known, change: Pick<ExitNote, 'at' | 'ended' | 'outlived'>) => {
      const old = noteOf(notes, i, is);
      const { uid, name, revision, attempt, template } = i;
      const kept = notes.filter((n) => n !== old && n.uid !== uid);
      notes = [...kept, { uid, name, revision, attempt, template, elsewhere: false, ...change }];
    };
    for (const i of [...before, ...now]) {
      const note = noteOf(notes, i, is);
      if (note === undefined || note.at.length === 0 || note.outlived) continue;
      const ms = asked.stabilityMs(service);
      if (ms !== null && i.phase === 'running' && i.ready && i.lastSeen - i.since >= windowOf(note.at, ms))
        notes = notes.map((n) => (n === note ? { ...n, outlived: true } : n));
    }
    const gone = before.filter((i) => !is.has(i.uid) && isOver(i));
    for (const i of now) {
      if (isLeaving(i)) continue;
      const earlier = was.get(i.uid);
      const count =
        earlier === undefined
          ? (cameBack(left.get(i.uid), i) ?? this.#comes(i, before, notes, is, asked))
          : grown(earlier, i, asked);
      if (count <= 0) continue;
      const at = [...(noteOf(notes, i, is)?.at ?? []), ...Array<number>(count).fill(i.lastSeen)].slice(-KEPT);
      put(i, { at, ended: false, outlived: false });
    }
    for (const i of gone) {
      // Whoever came with this report was counted above. One that was there beside it took no place: that is still free.
      if (now.some((other) => isSuccessor(i, other) && !was.has(other.uid))) continue;
      const note = noteOf(notes, i, is);
      put(i, { at: note?.at ?? [], outlived: note?.outlived ?? false, ended: true });
    }
    if (notes.length > 0) this.#notes.set(service, notes);
  }

  /** Shown for the first time: it may take a place, and bring restarts along that can only be of this attempt. */
  #comes(
    i: ShownInstance,
    before: readonly ShownInstance[],
    notes: readonly ExitNote[],
    is: ReadonlySet<string>,
    asked: AskedFor,
  ): number {
    const former = before.find((b) => isSuccessor(b, i) && !is.has(b.uid));
    const exited = former === undefined ? (noteOf(notes, i, is)?.ended ?? false) : isOver(former);
    const applied =
      i.revision === null || i.attempt === null ? null : asked.appliedAt(i.service, i.revision, i.attempt);
    const brought = applied !== null && i.lastSeen - applied < TEN_MINUTES ? i.restarts : 0;
    return Math.min(KEPT, (exited ? 1 : 0) + brought);
  }
}

const isOver = (i: ReportedInstance) => (i.phase === 'exited' || i.phase === 'failed') && !isLeaving(i);

function grown(earlier: ShownInstance, i: ShownInstance, { freshForMs }: AskedFor): number {
  if (!isOfSameAttempt(earlier, i)) return 0;
  const growth = Math.max(0, i.restarts - earlier.restarts);
  return Math.min(KEPT, i.lastSeen - earlier.lastSeen > freshForMs ? Math.min(1, growth) : growth);
}

/** Its place is back: growth meanwhile is one exit, however much. Null if it was not left behind. */
function cameBack(left: LeftBehind | undefined, i: ShownInstance): number | null {
  if (left === undefined || !isOfSameAttempt(left, i)) return null;
  return i.restarts > left.restarts ? 1 : 0;
}

type OneAttempt = Pick<ReportedInstance, 'revision' | 'attempt' | 'template'>;
const isOfSameAttempt = (a: OneAttempt, b: OneAttempt) =>
  a.revision === b.revision && a.attempt === b.attempt && a.template === b.template;

const isSuccessor = (a: Known, b: Known) => a.name !== '' && a.name === b.name && isOfSameAttempt(a, b);

function noteOf(notes: readonly ExitNote[], i: Known, is: ReadonlySet<string>): ExitNote | undefined {
  return (
    notes.find((n) => n.uid === i.uid && isOfSameAttempt(n, i)) ??
    notes.findLast((n) => !n.elsewhere && isSuccessor(n, i) && !is.has(n.uid))
  );
}

export function exitNote(
  notes: readonly ExitNote[],
  i: Known,
  shown: readonly Known[],
): ExitNote | undefined {
  return notes.length === 0 ? undefined : noteOf(notes, i, new Set(shown.map(({ uid }) => uid)));
}

/** The exits in the ten minutes up to the last one. */
export function counted(at: readonly number[]): readonly number[] {
  const last = at.reduce((a, b) => Math.max(a, b), 0);
  return at.filter((t) => t + TEN_MINUTES >= last).sort((a, b) => a - b);
}

/** The model's own formula: each exit doubles it, and three of them ask for twice the longest life between them. */
export function windowOf(at: readonly number[], stabilityMs: number): number {
  const exits = counted(at);
  if (exits.length === 0) return stabilityMs;
  let ms = stabilityMs < 1_000 ? 1_000 : stabilityMs;
  for (const _ of exits) ms += ms;
  ms = Math.min(ms, stabilityMs > TEN_MINUTES ? stabilityMs : TEN_MINUTES);
  for (let n = 1; n < exits.length && exits.length >= 3; n++)
    ms = Math.max(ms, 2 * ((exits[n] ?? 0) - (exits[n - 1] ?? 0)));
  return ms;
}

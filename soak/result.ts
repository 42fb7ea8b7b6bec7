import type { AcknowledgedAction } from './actions.ts';
import type { SoakStore } from './fleet/fleet.ts';
import type { OwnEnd } from './fleet/part.ts';
import type { Falsehood, TallyRow } from './tally.ts';

/** Everything that a run found. */
export interface SoakResult {
  readonly seed: number;
  readonly store: SoakStore;
  readonly seconds: number;
  readonly freshForMs: number;
  readonly isInterrupted: boolean;
  readonly rows: readonly TallyRow[];
  readonly samples: number;
  readonly unjudged: number;
  readonly starved: number;
  /** By how much we ourselves came too late to look. */
  readonly ownDelay: { readonly worstMs: number; readonly starvedMs: number };
  /** The most memory that each program ever had. */
  readonly memory: Readonly<Record<string, number>>;
  readonly complaints: readonly string[];
  readonly falsehoods: readonly Falsehood[];
  readonly skipped: readonly { readonly name: string; readonly why: string }[];
  readonly acknowledged: number;
  readonly refused: number;
  readonly unanswered: number;
  /** Null: the ledger could not be read. */
  readonly lost: readonly AcknowledgedAction[] | null;
  readonly ownEnds: readonly OwnEnd[];
  readonly stuck: readonly { readonly service: string; readonly words: string }[];
}

const isFalse = ({ falseGreenMs, falseRedMs, falseStoppedMs }: TallyRow) =>
  falseGreenMs + falseRedMs + falseStoppedMs > 0;

/** No program of the fleet needs half of this; one that keeps what others write soon has more. */
const MOST_MEMORY = 1_500 * 2 ** 20;

/** Nothing was false, nothing was lost, nothing ended by itself or grew without bound, and everything came back. */
export function isSoakSound({ rows, lost, ownEnds, stuck, complaints, memory }: SoakResult): boolean {
  const isQuiet = ownEnds.length === 0 && stuck.length === 0 && complaints.length === 0;
  const isSmall = Object.values(memory).every((bytes) => bytes < MOST_MEMORY);
  return !rows.some(isFalse) && lost?.length === 0 && isQuiet && isSmall;
}

const seconds = (ms: number) => (ms === 0 ? '0' : (ms / 1000).toFixed(1));

export const lineOfFalsehood = ({ atMs, row, kind, service, via, words }: Falsehood): string =>
  `${kind} at ${seconds(atMs)} s, ${row}: ${service} by ${via}: ${words}`;

export function tableOfResult(result: SoakResult): string {
  const heads = ['fault', 'times', 'false green', 'false red', 'false stopped', 'lost', 'unknown', 'starved'];
  const cells = result.rows.map((row) => [
    row.name,
    String(row.times),
    ...[row.falseGreenMs, row.falseRedMs, row.falseStoppedMs].map(seconds),
    String(row.lost),
    ...[row.unknownMs, row.starvedMs].map(seconds),
  ]);
  const widths = heads.map((head, n) => Math.max(head.length, ...cells.map((row) => row[n]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join('  ');
  return [line(heads), ...cells.map(line), '', ...linesOf(result)].join('\n');
}

function* linesOf(result: SoakResult): Generator<string> {
  const { acknowledged, refused, unanswered, lost, samples, unjudged } = result;
  yield `Seconds of services, beyond freshness (${result.freshForMs / 1000} s) and 1 s; what only a probe can tell, beyond its window too.`;
  yield `${samples} claims held against the truth; ${unjudged} of them not judged, for their window had not passed yet.`;
  const { worstMs, starvedMs } = result.ownDelay;
  yield `The soak itself came ${seconds(worstMs)} s too late at worst, ${seconds(starvedMs)} s in all of half a second or more; ${result.starved} claims that seem false over such a time are counted apart (starved).`;
  const found = lost === null ? 'the ledger could not be read' : `${lost.length} lost`;
  yield `${acknowledged} actions acknowledged, ${found}; ${refused} refused, ${unanswered} without an answer.`;
  const megabytes = Object.entries(result.memory).map(
    ([part, bytes]) => `${part} ${Math.round(bytes / 2 ** 20)} MB`,
  );
  yield `most memory: ${megabytes.join(', ')}`;
  for (const { name, why } of result.skipped) yield `not done: ${name} (${why})`;
  for (const falsehood of result.falsehoods) yield lineOfFalsehood(falsehood);
  for (const { action, service, revision } of lost ?? []) yield `lost: ${action} of ${service}, r${revision}`;
  for (const words of result.complaints) yield `does not hold: ${words}`;
  for (const { service, words } of result.stuck) yield `not shown running at the end: ${service}, ${words}`;
  for (const part of new Set(result.ownEnds.map(({ part }) => part))) {
    const ends = result.ownEnds.filter((end) => end.part === part);
    yield `${part} ended by itself ${ends.length} times, last: ${ends.at(-1)?.words.trim() ?? ''}`;
  }
  const end = result.isInterrupted ? ', interrupted' : '';
  yield `seed ${result.seed}, ${result.store}, ${Math.round(result.seconds)} s${end}: ${isSoakSound(result) ? 'sound' : 'NOT SOUND'}`;
}

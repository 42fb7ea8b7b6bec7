import type { RibbonView } from '../../../../src/contract/answers/views.ts';
import { longSpan } from '../../../../src/contract/presentation/times.ts';
import { wordOf } from '../../../../src/contract/presentation/words.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import { tickKind } from './ribbon-layout.ts';

/** States that are worth a word. Deploys are counted, so that the seconds of each of their stages say nothing more. */
const NAMED: readonly State[] = ['degraded', 'failed', 'stopped'];

/** The ticks in words; a restart and a scaling are requested, an exit is not. */
const TICKS = [
  ['deploy', 'deploy'],
  ['again', 'restart or scaling'],
  ['exit', 'exit'],
] as const;

/** A shorter time is not listed: it would read as "for 0 s". */
const SHORTEST_MS = 1_000;
/** Of a shorter record a part says nothing: "running 42.6 %" of two minutes reads as a service that is down half the time. */
const LONG_MS = 3_600_000;

/**
 * The ribbon in words: the part of the recorded time of which the state is known, what it was then, and how often it was
 * deployed. Rejected: "proven 100 %" alone, which reads as 100 % of the time running.
 */
export function ribbonSentence({ ms, ticks }: Pick<RibbonView, 'ms' | 'ticks'>): string {
  const total = Object.values(ms).reduce((sum, one) => sum + one, 0);
  if (total === 0) return 'No time on record';
  const { unknown = 0 } = ms;
  const listed = (word: string, spent: number) =>
    spent < SHORTEST_MS ? [] : [`${word} for ${longSpan(spent)}`];
  const parts = [
    ...(total < LONG_MS
      ? listed('running', ms.running ?? 0)
      : (ms.running ?? 0) < SHORTEST_MS
        ? []
        : [`running ${percent(ms.running ?? 0, total)}`]),
    ...listed('not known', unknown),
    ...NAMED.flatMap((state) => listed(wordOf(state), ms[state] ?? 0)),
    ...TICKS.flatMap(([kind, word]) => {
      const found = ticks
        .filter((tick) => tickKind(tick.kind) === kind)
        .reduce((sum, { count = 1 }) => sum + count, 0);
      return found === 0 ? [] : [`${found} ${word}${found === 1 ? '' : 's'}`];
    }),
  ];
  // All of it is known unless something is said to the contrary.
  if (unknown === 0 || total < LONG_MS) return parts.join(', ') || 'nothing ran yet';
  return `known ${percent(total - unknown, total)} of the time; ${parts.join(', ')}`;
}

/** Never rounded up to the whole: what is not known for a second is not 100 %. */
function percent(part: number, whole: number): string {
  const tenths = Math.floor((part / whole) * 1000) / 10;
  return `${part === whole ? '100' : tenths.toFixed(1)}\u00a0%`;
}

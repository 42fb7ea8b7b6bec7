import type { RibbonView } from '../../../../src/contract/answers/views.ts';
import { longSpan } from '../../../../src/contract/presentation/times.ts';
import { wordOf } from '../../../../src/contract/presentation/words.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';

/** States that are worth a word. Deploys are counted, so that the seconds of each of their stages say nothing more. */
const NAMED: readonly State[] = ['degraded', 'failed', 'stopped'];

/** The ribbon in words: the part of the time that is proven, and what it was beside running. */
export function ribbonSentence({ ms, ticks }: Pick<RibbonView, 'ms' | 'ticks'>): string {
  const total = Object.values(ms).reduce((sum, one) => sum + one, 0);
  if (total === 0) return 'No time on record';
  const { unknown = 0 } = ms;
  const others = NAMED.flatMap((state) => {
    const spent = ms[state] ?? 0;
    return spent === 0 ? [] : [`${wordOf(state)} for ${longSpan(spent)}`];
  });
  return [
    `proven ${percent(total - unknown, total)}`,
    ...(unknown === 0 ? [] : [`not known for ${longSpan(unknown)}`]),
    ...others,
    ...(ticks.length === 0 ? [] : [`${ticks.length} ${ticks.length === 1 ? 'deploy' : 'deploys'}`]),
  ].join(', ');
}

/** Never rounded up to the whole: what is not known for a second is not 100 %. */
function percent(part: number, whole: number): string {
  const tenths = Math.floor((part / whole) * 1000) / 10;
  return `${part === whole ? '100' : tenths.toFixed(1)} %`;
}

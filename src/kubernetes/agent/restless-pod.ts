import { EXIT_MEMORY_MS } from '../../contract/stability.ts';
import type { PodRecord } from '../cache/pod.ts';

/** A run of now that has held for this long, or for twice as long as the last one, is another one than those. */
const HELD_MS = 60_000;

/**
 * It is up between two ends: two or more, after which its kubelet backs off, the last within the memory of exits, after a
 * run that was short and no shorter than the one of now. Its kubelet remembers no more than the last end.
 */
export function isRestless(pod: PodRecord, now: number): boolean {
  return pod.containers.some(({ kind, restarts, state, lastEnd }) => {
    if (kind !== 'main' || restarts < 2 || state.kind !== 'running' || lastEnd === null) return false;
    const [began, ended, up] = [lastEnd.startedAt, lastEnd.finishedAt, state.startedAt].map((at) =>
      Date.parse(at ?? ''),
    ) as [number, number, number];
    const lasted = ended - began;
    // Without its instants nothing is known: every comparison with NaN is false.
    return (
      now - ended < EXIT_MEMORY_MS && lasted < EXIT_MEMORY_MS && now - up < Math.max(HELD_MS, 2 * lasted)
    );
  });
}

import type { LogLineView } from '../../../../src/contract/answers/views.ts';
import { LINES_LAG_MS } from '../../../../src/contract/presentation/error-lines/last-run.ts';

/**
 * The exits by the place of the line that follows them; those after the last line have the place behind it. An exit before
 * the first line has nothing to part, and is left out. Pure.
 */
export function exitsBefore(
  lines: readonly Pick<LogLineView, 'at'>[],
  exits: readonly string[],
): ReadonlyMap<number, readonly string[]> {
  const places = new Map<number, string[]>();
  for (const exit of exits) {
    const after = lines.findIndex(({ at }) => Date.parse(at) > Date.parse(exit) + LINES_LAG_MS);
    const place = after === -1 ? lines.length : after;
    if (place === 0) continue;
    places.set(place, [...(places.get(place) ?? []), exit]);
  }
  return places;
}

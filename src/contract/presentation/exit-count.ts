import { EXITS_KEPT } from '../stability.ts';

/** The exits of an instance that count together, in words. More than are remembered are not counted: it may be more. */
export function exitCount(exits: number): string {
  const times = exits === 1 ? 'once' : exits === 2 ? 'twice' : `${exits} times`;
  return `${exits < EXITS_KEPT ? '' : 'at least '}${times} in 10 minutes`;
}

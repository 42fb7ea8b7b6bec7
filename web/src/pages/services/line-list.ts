import type { RefObject } from 'react';
import type { ListLine } from './attention.ts';
import type { ListSight } from './row-words.ts';

/** The lines, the service in focus, and how to bring it into view. */
export interface LineList {
  readonly lines: readonly ListLine[];
  readonly at: number;
  readonly sight: ListSight;
  readonly show: RefObject<(index: number) => void>;
}

import type { RibbonView } from '../../../../src/contract/answers/views.ts';

/**
 * The ribbons that were read so far, by service. Apart from the shelf that reads them, whose script comes after the first
 * screen: the rows are ordered before.
 */
export const readRibbons = new Map<string, RibbonView>();

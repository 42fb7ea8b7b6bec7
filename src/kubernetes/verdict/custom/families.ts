import type { CustomFamily } from './family.ts';

/** Every family, one file each. To add one: a file that exports its entries, and its line here. */
export const FAMILIES: readonly CustomFamily[] = [];

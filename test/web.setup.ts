import { bundleWebIfStale } from '../scripts/bundle.mjs';

/** The pages that the servers of the tests serve are those of this source. */
export const setup = (): Promise<void> => bundleWebIfStale();

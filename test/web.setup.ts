import { bundleIfStale } from '../scripts/bundle.mjs';

/** Builds the servers of the tests and the pages that they serve from this source. */
export const setup = async (): Promise<void> => void (await bundleIfStale('evident'));

import { bundleIfStale } from '../scripts/bundle.mjs';

/** The servers of the tests, and the pages that they serve, are those of this source. */
export const setup = async (): Promise<void> => void (await bundleIfStale('evident'));

import { type ComponentType, lazy } from 'react';

const TRIES = 8;
const PAUSE_MS = 2_000;

/**
 * A part that is loaded when it is needed. While the server is away it is asked for again: a page that has lost its
 * server must go on showing what was last known, and not fall over a part that it could not fetch.
 */
export function lazily<P>(load: () => Promise<ComponentType<P>>) {
  return lazy(async () => {
    for (let tries = 1; ; tries++) {
      try {
        return { default: await load() };
      } catch (error) {
        if (tries === TRIES) throw error;
        await new Promise((done) => setTimeout(done, PAUSE_MS));
      }
    }
  });
}

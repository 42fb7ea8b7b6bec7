import { type ComponentType, lazy } from 'react';

const TRIES = 8;
const PAUSE_MS = 2_000;

/**
 * A component loaded when it is needed. While the server is away the load is retried: a page that has lost
 * its server must keep showing the last known, and not fail over a missing part.
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

let tell = () => {};
const drawn = new Promise<void>((resolve) => {
  tell = resolve;
});

/** To be called once the list is on the screen, or another page is shown. */
export const pageIsDrawn = (): void => tell();

/** What is not needed to read the list is asked for once that is drawn, so that nothing else comes before it. */
export const onceDrawn = <T>(load: () => Promise<T>): Promise<T> => drawn.then(load);
export const afterThePage = <P>(load: () => Promise<ComponentType<P>>) => lazily(() => onceDrawn(load));

/**
 * A browser gives six connections to a server over HTTP/1.1, to all tabs together, and each stream holds one for as long
 * as it lives: the seventh tab would stay blank. Tabs in the background share this many, so that their titles still tell
 * the state; the others rest, and follow again as soon as somebody looks.
 */
const PLACES = ['a', 'b', 'c'] as const;

let leave: (() => void) | null = null;

/** Takes one of the places for tabs in the background; false if others have them all. */
async function takePlace(): Promise<boolean> {
  // Without locks a tab cannot know of the others; only pages that came unencrypted from another machine have none.
  if (!('locks' in navigator)) return false;
  for (const place of PLACES) {
    const isTaken = await new Promise<boolean>((answer) => {
      void navigator.locks.request(`evident background ${place}`, { ifAvailable: true }, (lock) => {
        answer(lock !== null);
        if (lock === null) return;
        return new Promise<void>((left) => {
          leave = left;
        });
      });
    });
    if (isTaken) return true;
  }
  return false;
}

function leavePlace(): void {
  leave?.();
  leave = null;
}

const isInSight = () => document.visibilityState === 'visible';

/** Lets the stream rest while nobody looks at the tab, or while the browser only keeps the page to go back to. */
export function restInBackground(stream: { rest(): void; wake(): void }): void {
  const look = async () => {
    const followsOn = isInSight() || leave !== null || (await takePlace());
    if (isInSight()) leavePlace();
    if (isInSight() || followsOn) stream.wake();
    else stream.rest();
  };
  document.addEventListener('visibilitychange', () => void look());
  window.addEventListener('pageshow', () => void look());
  window.addEventListener('pagehide', () => {
    leavePlace();
    stream.rest();
  });
  void look();
}

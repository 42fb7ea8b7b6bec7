import { useNow, useView } from '../live/live.ts';

const RESET_NOTICE_MS = 30_000;

/** Says that the page had to start anew. */
export function ReadAnew() {
  const view = useView();
  const now = useNow();
  const wasReset = view.resetAt !== null && now - view.resetAt < RESET_NOTICE_MS;
  return (
    <div role="status" aria-live="polite" className="notices">
      {wasReset && (
        <p className="banner">
          <b>Read anew.</b> The server could not go on where this page was; everything was read again.
        </p>
      )}
    </div>
  );
}

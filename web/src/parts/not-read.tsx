import { ago } from '../../../src/contract/presentation/times.ts';
import type { Look } from '../live/look.ts';

/** What the page shows could not be read again, while the stream lives: the page is live, and this of it is not. */
export function NotRead({ look, error }: { readonly look: Look; readonly error: Error | null }) {
  const isShown = look.isOld && !look.isSilent;
  return (
    <div role="status">
      {isShown && (
        <p className="banner tone-unknown part">
          <b>Not read for {ago(look.agoMs).replace(' ago', '')}.</b> {error?.message} What you see is what was
          last known; it is read again by itself.
        </p>
      )}
    </div>
  );
}

import { ago } from '../../../src/contract/presentation/times.ts';
import type { Look } from '../live/look.ts';

/** The stream is alive, but this part of the page could not be read again and is old. */
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

import { ago } from '../../../src/contract/presentation/times.ts';
import type { Age } from '../live/polled.ts';

/** The stream is alive, but this part of the page could not be read again and is old. */
export function OutdatedNotice({ age, error }: { readonly age: Age; readonly error: Error | null }) {
  const isOutdated = age.isOld && !age.isSilent;
  return (
    <div role="status">
      {isOutdated && (
        <p className="banner tone-unknown part">
          <b>Not read for {ago(age.agoMs).replace(' ago', '')}.</b> {error?.message} What you see is what was
          last known; it is read again by itself.
        </p>
      )}
    </div>
  );
}

import { wasSeen } from '../../../../src/contract/telling/fleet.ts';
import { ago } from '../../../../src/contract/telling/times.ts';
import type { Look } from './reading.ts';

/** How long ago, by the server's clock, ticking; nothing where that cannot be said. */
export function Since({ at, look }: { readonly at: string | null; readonly look: Look }) {
  if (!wasSeen(at)) return <>never</>;
  return (
    <time dateTime={at} title={at}>
      {look.there === null ? '…' : ago(look.there - Date.parse(at))}
    </time>
  );
}

import { wasSeen } from '../../../src/contract/presentation/fleet.ts';
import { ago, longAgo } from '../../../src/contract/presentation/times.ts';
import type { Look } from '../live/look.ts';

interface Props {
  readonly at: string | null;
  readonly look: Pick<Look, 'there'>;
  /** For what happened once: seconds that tick would only distract. */
  readonly isRough?: boolean;
}

/** How long ago, by the server's clock, ticking; nothing where that cannot be said. */
export function Since({ at, look, isRough = false }: Props) {
  if (!wasSeen(at)) return <>never</>;
  return (
    <time dateTime={at} title={at}>
      {look.there === null ? '…' : (isRough ? longAgo : ago)(look.there - Date.parse(at))}
    </time>
  );
}

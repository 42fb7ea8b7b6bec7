import { wasSeen } from '../../../src/contract/presentation/fleet.ts';
import { ago, longAgo } from '../../../src/contract/presentation/times.ts';
import type { Look } from '../live/look.ts';

interface Props {
  readonly at: string | null;
  readonly look: Pick<Look, 'there'>;
  /** Rough ages for events of the past, where ticking seconds would distract. */
  readonly isRough?: boolean;
}

/** A ticking age by the server's clock; nothing where the age is unknown. */
export function Since({ at, look, isRough = false }: Props) {
  if (!wasSeen(at)) return <>never</>;
  return (
    <time dateTime={at} title={at}>
      {look.there === null ? '…' : (isRough ? longAgo : ago)(look.there - Date.parse(at))}
    </time>
  );
}

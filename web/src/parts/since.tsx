import { hadContact } from '../../../src/contract/presentation/fleet.ts';
import { ago, longAgo } from '../../../src/contract/presentation/times.ts';
import type { Age } from '../live/polled.ts';
import { Moment } from './moment.tsx';

interface Props {
  readonly at: string | null;
  readonly age: Pick<Age, 'serverNow'>;
  /** Rough ages for events of the past, where ticking seconds would distract. */
  readonly isRough?: boolean;
}

/** A ticking age by the server's clock; nothing where the age is unknown. */
export function Since({ at, age, isRough = false }: Props) {
  if (!hadContact(at)) return <>never</>;
  return (
    <Moment at={at}>
      {age.serverNow === null ? '…' : (isRough ? longAgo : ago)(age.serverNow - Date.parse(at))}
    </Moment>
  );
}

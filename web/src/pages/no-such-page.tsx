import { Link } from 'wouter';
import { useStream } from '../live/live.ts';
import { Quiet } from '../parts/quiet.tsx';

/** Watches the org like every page, so that it can tell whether it is live. */
export function NoSuchPage() {
  useStream('/v1/events');
  return (
    <Quiet>
      There is no such page. <Link href="/">To the services</Link>
    </Quiet>
  );
}

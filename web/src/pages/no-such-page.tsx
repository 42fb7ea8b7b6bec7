import { Link } from 'wouter';
import { useStream } from '../live/live.ts';
import { Quiet } from '../parts/quiet.tsx';

/** It watches the org, as every page does: only then is it known to be live. */
export function NoSuchPage() {
  useStream('/v1/events');
  return (
    <Quiet>
      There is no such page. <Link href="/">To the services</Link>
    </Quiet>
  );
}

import { Link, Redirect, useLocation } from 'wouter';
import { useStream } from '../live/live.ts';
import { Quiet } from '../parts/quiet.tsx';

/** Addresses that pages had before, which people and the command line still know. */
const MOVED: Readonly<Record<string, string>> = {
  '/agents': '/targets',
  '/tokens': '/settings/tokens',
  '/command-line': '/settings/command-line',
};

/** Leads on from an address that a page had before. Watches the org like every page, so that it can tell whether it is live. */
export function NoSuchPage() {
  useStream('/v1/events');
  const [place] = useLocation();
  const moved = MOVED[place];
  if (moved !== undefined) return <Redirect to={moved} replace />;
  return (
    <Quiet>
      There is no such page. <Link href="/">To the services</Link>
    </Quiet>
  );
}

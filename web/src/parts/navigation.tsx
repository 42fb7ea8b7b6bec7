import { Link, useLocation } from 'wouter';
import { useSilentTargets } from '../live/target-ages.ts';
import { hasRoleAtLeast, type Session } from '../session.ts';

/** The pages that the role may open. */
export function Navigation({ session, label }: { readonly session: Session; readonly label: string }) {
  const [place] = useLocation();
  const silent = useSilentTargets();
  const isIn = (room: string) => place === room || place.startsWith(`${room}/`);
  return (
    <nav aria-label={label} className="navigation">
      <Link href="/" aria-current={place === '/' || isIn('/services') ? 'page' : undefined}>
        Services
      </Link>
      {hasRoleAtLeast(session, 'operator') && (
        <Link href="/targets" aria-current={isIn('/targets') ? 'page' : undefined}>
          Targets
          {silent > 0 && (
            <i className="pip">
              <span className="visually-hidden">{silent} silent</span>
            </i>
          )}
        </Link>
      )}
      <Link href="/model" aria-current={isIn('/model') ? 'page' : undefined}>
        Model
      </Link>
      <Link href="/settings" aria-current={isIn('/settings') ? 'page' : undefined}>
        Settings
      </Link>
    </nav>
  );
}

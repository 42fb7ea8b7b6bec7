import { useLocation } from 'wouter';
import { type Session, signOut } from '../session.ts';
import { Icon } from './icon.tsx';
import { Navigation } from './navigation.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

/** The time zone in which times of day are shown. */
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** The city of the zone, which is short enough for the bar. */
export const CITY = ZONE.slice(ZONE.lastIndexOf('/') + 1).replaceAll('_', ' ');

/** Who is signed in, the theme, the way out; on a phone the pages too. */
export function Menu({ session }: { readonly session: Session }) {
  const [place] = useLocation();
  const name = session.name || session.role;
  return (
    <>
      <button type="button" className="menu-button" popoverTarget="menu">
        <span className="initials" aria-hidden="true">
          {initialsOf(name)}
        </span>
        <Icon name="menu" />
        <span className="visually-hidden">Menu of {name}</span>
      </button>
      {/* Drawn anew at each address, and so closed by the link that leads there. */}
      <div key={place} id="menu" popover="auto" className="menu">
        <Navigation session={session} label="Pages, in the menu" />
        <dl>
          <dt>Signed in as</dt>
          <dd className="who">{name}</dd>
          <dt>Role</dt>
          <dd>{session.role}</dd>
          <dt>Org</dt>
          <dd>{session.org}</dd>
          <dt>Times in</dt>
          <dd className="zone">{ZONE}</dd>
        </dl>
        <ThemeSwitch />
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </div>
    </>
  );
}

function initialsOf(name: string): string {
  const [first = '', second = ''] = name.split(/[^\p{L}\p{N}]+/u);
  return (first.slice(0, 1) + (second.slice(0, 1) || first.slice(1, 2))).toUpperCase();
}

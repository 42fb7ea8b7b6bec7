import { type Session, signOut } from '../session.ts';
import { Navigation } from './navigation.tsx';
import { ThemeSwitch } from './theme-switch.tsx';
import { ZONE } from './zone.ts';

export function MenuContent({ session }: { readonly session: Session }) {
  return (
    <>
      <Navigation session={session} label="Pages, in the menu" />
      <dl>
        <dt>Signed in as</dt>
        <dd className="who">{session.name || session.role}</dd>
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
    </>
  );
}

import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { silenceMs } from '../../../src/contract/presentation/server-contact.ts';
import { ago } from '../../../src/contract/presentation/times.ts';
import { useNow, useView } from '../live/live.ts';
import { hasRoleAtLeast, type Session, signOut } from '../session.ts';
import { applyTheme, chosenTheme, THEMES, type Theme } from '../theme.ts';
import { Keys } from './keys.tsx';
import { NotLive } from './not-live.tsx';

/** The time zone in which times of day are shown. */
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The frame of every page: navigation, and whether the page is live. */
export function Shell({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const [place] = useLocation();
  const link = (href: string, text: string, isHere: boolean) => (
    <Link href={href} aria-current={isHere ? 'page' : undefined}>
      {text}
    </Link>
  );
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="side">
        <Link href="/" className="brand">
          <i aria-hidden="true" />
          Evident
        </Link>
        <nav aria-label="Pages">
          {link('/', 'Services', place === '/' || place.startsWith('/services'))}
          {hasRoleAtLeast(session, 'operator') && link('/agents', 'Agents', place === '/agents')}
          {link('/model', 'Model', place === '/model')}
          {hasRoleAtLeast(session, 'admin') && link('/tokens', 'Tokens', place === '/tokens')}
        </nav>
        <div className="foot">
          <Liveness />
          <span className="who" title={`org ${session.org}`}>
            {session.name || session.role}
          </span>
          <span className="zone" title="Times are in this time zone">
            {ZONE}
          </span>
          <ThemeSwitch />
          {link('/command-line', 'Command line', place === '/command-line')}
          <button type="button" className="plain" onClick={signOut}>
            Sign out
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <NotLive />
        {children}
      </main>
      <Keys />
    </div>
  );
}

function Liveness() {
  const view = useView();
  const now = useNow();
  const silentMs = silenceMs(view, now);
  const text = silentMs === null ? 'live' : `not live · ${ago(silentMs).replace(' ago', '')}`;
  return (
    <span className="liveness" data-live={silentMs === null}>
      {text}
    </span>
  );
}

function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  return (
    <button
      type="button"
      className="plain"
      aria-label={`${theme} theme; change to ${next}`}
      onClick={() => {
        applyTheme(next);
        setTheme(next);
      }}
    >
      {theme} theme
    </button>
  );
}

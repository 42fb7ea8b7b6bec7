import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Session } from '../session.ts';
import { Keys } from './keys.tsx';
import { Liveness } from './liveness.tsx';
import { Menu } from './menu.tsx';
import { Navigation } from './navigation.tsx';
import { NotLive, ReadAnew } from './not-live.tsx';
import { PaletteField } from './palette/palette-field.tsx';
import { CITY } from './zone.ts';

/** The frame of every page: navigation, and whether the page is live. */
export function Shell({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="top">
        <Link href="/" className="brand">
          <i aria-hidden="true" />
          Evident
        </Link>
        <Navigation session={session} label="Pages" />
        <NotLive />
        <PaletteField session={session} />
        <Liveness />
        <span className="city" title="Times are in this time zone">
          {CITY}
        </span>
        <Menu session={session} />
      </header>
      <main id="main" tabIndex={-1}>
        <ReadAnew />
        {children}
      </main>
      <Keys />
    </>
  );
}
